/**
 * A Jest environment without a context of its own: test files run in the context of the worker process. The default
 * environment gives each file a context, so Node would have to load n8n's engine anew for each (1-2 s of CPU), and
 * `instanceof` would fail between a test and a module that `requireOnce.js` shares.
 */
const { availableParallelism, loadavg } = require('node:os');
const { setFlagsFromString } = require('node:v8');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const context = require('./compileOnce');
require('./testContext');

const { exit, kill, pid, platform } = process;
/** The message with which Jest ends a worker process, after its last file: `CHILD_MESSAGE_END` of jest-worker. */
const END = 2;

// n8n's timers cannot be ended, so those of a rate limiter keep a process for seconds after its last test, and Jest ends it
// by force after half of one. To free 1 GB takes an exit 170 ms and a signal 70 ms, and eight times that on a loaded machine.
// On Windows a signal counts as a crash, for which Jest starts another worker.
const endWorker =
  platform === 'win32' ? () => exit.call(process, 0) : () => kill.call(process, pid, 'SIGKILL');
if (process.send) process.on('message', ([type]) => type === END && endWorker());

// Jest keeps its event handlers, its state and `jest.setTimeout` in globals: they must not outlive the file.
const JEST_STATE = /^(EVENT_HANDLERS|JEST_STATE_SYMBOL|TEST_TIMEOUT_SYMBOL|RETRY_\w+)$/;

/**
 * Lets objects grow by 50 percent until V8 collects them, instead of by up to 300. A worker then ends with 0.8 GB instead
 * of 1.1 GB, which a loaded machine frees within Jest's half second. It takes a tenth more CPU time.
 */
function limitMemoryUnderLoad() {
  if (loadavg()[0] > 4 * availableParallelism()) setFlagsFromString('--heap-growing-percent=50');
}

function deleteJestState() {
  for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
    if (JEST_STATE.test(symbol.description)) delete globalThis[symbol];
  }
}

module.exports = class SharedContext {
  global = globalThis;

  constructor({ projectConfig: config }) {
    limitMemoryUnderLoad();
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
  }

  exportConditions = () => ['node', 'node-addons'];
  getVmContext = () => context;

  setup() {
    // Frames. Jest sets 100, and every assertion and every error of n8n collects them.
    Error.stackTraceLimit = 15;
  }

  handleTestEvent({ name, error }) {
    if (name === 'test_fn_failure') globalThis.nameSeed(error);
  }

  teardown() {
    delete globalThis.testSeed;
    // Jest replaces it for each file. The functions would form a chain that keeps all that the files loaded.
    process.exit = exit;
    this.fakeTimersModern.dispose();
    deleteJestState();
  }
};

/** `requireOnce.js` calls it. Node keeps one copy of a module for all test files of a process. */
globalThis.requireOnce = require;

/** Names the seed of a random test in its failure: `npm test` shows no output of a test. */
globalThis.nameSeed = (error) => {
  if (globalThis.testSeed !== undefined && error instanceof Error)
    error.stack = `SEED=${globalThis.testSeed} repeats this run.\n\n${error.stack}`;
};
