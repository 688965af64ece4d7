/**
 * Runs Jest test files in this process, without Jest's runtime. A run of Jest costs seconds of CPU (it looks for the
 * files, resolves their imports and loads the packages), which is too much for thousands of changes.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ModernFakeTimers } from '@jest/fake-timers';
import { expect } from 'expect';
import * as circus from 'jest-circus';
import { ModuleMocker } from 'jest-mock';

const root = process.cwd();
const require = createRequire(join(root, 'package.json'));
const { transformSync } = require('@swc/core');
const [[, [, swcOptions]]] = Object.entries(require('./test/environment/typescript.js'));

const fakeTimers = new ModernFakeTimers({
  config: { rootDir: root, fakeTimers: {} },
  global: globalThis,
});
const mocker = new ModuleMocker(globalThis);
const { default: _circus, run, ...circusGlobals } = circus;
Object.assign(globalThis, {
  ...circusGlobals,
  expect,
  jest: {
    fn: mocker.fn.bind(mocker),
    spyOn: mocker.spyOn.bind(mocker),
    restoreAllMocks: () => mocker.restoreAllMocks(),
    useFakeTimers: (config) => fakeTimers.useFakeTimers(config),
    useRealTimers: () => fakeTimers.useRealTimers(),
    clearAllTimers: () => fakeTimers.clearAllTimers(),
    advanceTimersByTime: (duration) => fakeTimers.advanceTimersByTime(duration),
    advanceTimersByTimeAsync: (duration) => fakeTimers.advanceTimersByTimeAsync(duration),
    setTimeout: () => {},
  },
});

// The output of thousands of runs says nothing.
console.log = () => {};
// A change may leave a promise that is rejected after the run.
process.on('unhandledRejection', () => {});

const compiled = new Map();
require.extensions['.ts'] = (module, path) => {
  if (!compiled.has(path)) {
    const { code } = transformSync(readFileSync(path, 'utf8'), {
      ...swcOptions,
      filename: path,
    });
    compiled.set(path, code);
  }
  module._compile(compiled.get(path), path);
};

// Node tries extensions in this order. Jest prefers `calledEndpoints.ts` to `calledEndpoints.json`.
const { '.json': loadJson } = require.extensions;
delete require.extensions['.json'];
require.extensions['.json'] = loadJson;

/** Modules of the project are loaded anew for each file, as Jest does; installed packages are kept. */
function forgetModules() {
  for (const path of Object.keys(require.cache)) {
    const isKept = path.includes('/node_modules/') || path.endsWith('/processCache.js');
    if (path.startsWith(root) && !isKept) delete require.cache[path];
  }
}

/**
 * Loads the built nodes, if there are any. n8n's engine loads them within the first test that runs one, and the constants
 * of their files would count as reached by that test.
 */
function loadNodes() {
  const { nodes, credentials } = require('./package.json').n8n;
  for (const file of [...nodes, ...credentials]) if (existsSync(join(root, file))) require(join(root, file));
}

export function toFullName({ name, parent }) {
  return parent?.parent ? `${toFullName(parent)} ${name}` : name;
}

/**
 * Runs the tests of a file that `isWanted`, all by default. `onTest` is called with the full name of each test before
 * it and with `undefined` after it. `isBailing` ends the run with the first test that fails. `timeout` is the limit of a
 * test in milliseconds.
 */
export async function runTestFile(path, { isWanted = () => true, onTest, isBailing = false, timeout } = {}) {
  forgetModules();
  circus.resetState();
  let hasFailed = false;
  Object.assign(circus.getState(), {
    testTimeout: timeout ?? Number(process.env.TEST_TIMEOUT),
    // Circus only calls `test` with the full name.
    testNamePattern: { test: (name) => !(isBailing && hasFailed) && isWanted(name) },
  });
  const handleEvent = ({ name, test }) => {
    if (name === 'test_start') onTest?.(toFullName(test));
    if (name !== 'test_done') return;
    onTest?.(undefined);
    hasFailed ||= test.errors.length > 0;
  };
  circus.addEventHandler(handleEvent);
  try {
    if (path.includes('/test/engine/')) loadNodes();
    require(path);
    const { testResults, unhandledErrors } = await run();
    if (unhandledErrors.length > 0) throw new Error(unhandledErrors[0]);
    return testResults
      .filter(({ status }) => status !== 'skip' && status !== 'todo')
      .map(({ testPath, errors, duration }) => ({
        name: testPath.slice(1).join(' '),
        error: errors[0],
        duration: duration ?? 0,
      }));
  } finally {
    circus.removeEventHandler(handleEvent);
    fakeTimers.useRealTimers();
    mocker.restoreAllMocks();
  }
}
