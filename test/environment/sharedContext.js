/**
 * A Jest environment without a context of its own: test files run in the context of the worker process. The default
 * environment gives each file a context, so Node would have to load n8n's engine anew for each (1-2 s of CPU), and
 * `instanceof` would fail between a test and a module that `requireOnce.js` shares.
 */
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const context = require('./compileOnce');
require('./testContext');

const { exit } = process;

// Jest keeps its event handlers, its state and `jest.setTimeout` in globals: they must not outlive the file.
const JEST_STATE = /^(EVENT_HANDLERS|JEST_STATE_SYMBOL|TEST_TIMEOUT_SYMBOL|RETRY_\w+)$/;

function deleteJestState() {
  for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
    if (JEST_STATE.test(symbol.description)) delete globalThis[symbol];
  }
}

module.exports = class SharedContext {
  global = globalThis;

  constructor({ projectConfig: config }) {
    // test/service/profiles.ts reads it.
    globalThis.serviceProfile = config.testEnvironmentOptions.profile;
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
    delete globalThis.serviceProfile;
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
