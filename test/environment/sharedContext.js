/**
 * A Jest environment without a context of its own: test files run in the context of the worker process. The default
 * environment gives each file a context, so Node would have to load n8n's engine anew for each (1-2 s of CPU), and
 * `instanceof` would fail between a test and a module that `requireOnce.js` shares.
 */
const { AsyncLocalStorage } = require('node:async_hooks');
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

// Jest compiles each module for the context of its environment. For ours, Node compiles it for the current context.
const { compileFunction } = vm;
const unusedContexts = new WeakSet();
vm.compileFunction = (code, parameters, { parsingContext, ...options } = {}) =>
  compileFunction(code, parameters, {
    ...options,
    ...(!unusedContexts.has(parsingContext) && { parsingContext }),
  });

// Jest creates a storage for each file and leaves it enabled. Up to Node 22 each promise costs time for each enabled
// storage: after 100 files, half of the CPU time.
const { run } = AsyncLocalStorage.prototype;
const enabledStorages = new Set();
AsyncLocalStorage.prototype.run = function (...args) {
  enabledStorages.add(this);
  return run.apply(this, args);
};

// Jest keeps its event handlers, its state and `jest.setTimeout` in globals: they must not outlive the file.
const JEST_STATE = /^(EVENT_HANDLERS|JEST_STATE_SYMBOL|TEST_TIMEOUT_SYMBOL|RETRY_\w+)$/;

function deleteJestState() {
  for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
    if (JEST_STATE.test(symbol.description)) delete globalThis[symbol];
  }
}

module.exports = class SharedContext extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    unusedContexts.add(this.context);
    this.global = globalThis;
    const FakeTimers = this.fakeTimersModern.constructor;
    this.fakeTimersModern = new FakeTimers({ config: config.projectConfig, global: globalThis });
  }

  async teardown() {
    await super.teardown();
    for (const storage of enabledStorages) storage.disable();
    enabledStorages.clear();
    deleteJestState();
  }
};

/** `requireOnce.js` calls it. Node keeps one copy of a module for all test files of a process. */
globalThis.requireOnce = require;
