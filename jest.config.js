/**
 * Two kinds of tests in one run: `unit` mirrors `nodes/`, `engine` runs workflow JSON on n8n's own engine
 * with the built package, and builds it first when `dist` is older than the sources.
 */
const { availableParallelism } = require('node:os');
const typescript = require('./test/environment/typescript');

const requireOnce = '<rootDir>/test/environment/requireOnce.js';

const base = {
  // Jest looks for files in these folders only. `test/e2e` and `.cache` hold whole installations of n8n.
  roots: [
    'nodes',
    'credentials',
    'test/unit',
    'test/engine',
    'test/service',
    'test/harness',
    'test/environment',
    'test/scripts',
    'test/workflows',
  ].map((folder) => `<rootDir>/${folder}`),
  testEnvironment: '<rootDir>/test/environment/sharedContext.js',
  transform: {
    ...typescript,
    '/test/environment/processCache\\.js$': requireOnce,
    // Installed packages, without Jest's own.
    '/node_modules/(?!(@?jest|expect|@swc)\\b)[^.].*\\.[cm]?js$': requireOnce,
  },
  transformIgnorePatterns: [],
};

module.exports = {
  projects: [
    {
      ...base,
      displayName: 'unit',
      testMatch: ['<rootDir>/test/{unit,service,harness,environment,scripts}/**/*.test.ts'],
    },
    {
      ...base,
      displayName: 'engine',
      testMatch: ['<rootDir>/test/{engine,workflows}/**/*.test.ts'],
      globalSetup: '<rootDir>/test/buildIfStale.js',
    },
  ],
  // One more than the cores: engine tests still wait for sockets, and each worker costs seconds to load n8n.
  maxWorkers: availableParallelism() + 1,
  // Milliseconds. A test that needs longer calls `jest.setTimeout` and says why; slow machines set TEST_TIMEOUT.
  testTimeout: Number(process.env.TEST_TIMEOUT ?? 60_000),
  coverageDirectory: 'coverage',
  collectCoverageFrom: ['nodes/**/*.ts', 'credentials/**/*.ts'],
};
