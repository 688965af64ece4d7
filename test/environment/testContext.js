/**
 * Jest keeps the running test in an AsyncLocalStorage, to tell concurrent tests apart. Up to Node 22 an enabled storage
 * makes every promise call hooks: an eighth of the CPU time of all tests. Here tests of a file run one after the other,
 * so the storage is never enabled, and returns the test or hook that runs now.
 */
const { AsyncLocalStorage } = require('node:async_hooks');

const { run } = AsyncLocalStorage.prototype;

const isTestContext = (store) => store !== null && typeof store === 'object' && 'test' in store;

AsyncLocalStorage.prototype.run = function (store, callback, ...args) {
  return isTestContext(store) ? runInTest(this, store, callback) : run.call(this, store, callback, ...args);
};

async function runInTest(storage, store, callback) {
  const { getStore } = storage;
  storage.getStore = () => store;
  try {
    return await callback();
  } finally {
    storage.getStore = getStore;
  }
}
