/**
 * All tests, one project for each kind. `package.json` names this file, so `npx jest test/unit/client` finds it.
 *
 * - `unit` tests single pieces: at the path of their file, or for a floor in the folder of their subject.
 * - `engine` runs workflow JSON on n8n's own engine with the built package, and builds it first when `dist` is older than
 *   the sources. `npm test` runs both.
 * - `client` tests nodes/service and nodes/records alone, over HTTP. A module of n8n that it loads is an error. `npm test` runs it too.
 * - `client-met` and `engine-met` run the tests of the client and the contract of every operation for the embedded service
 *   as clients met it (`test/service/README.md`, Profiles). `npm test` runs them too.
 * - `engine-met-long` runs the tests of the triggers, of Create or Update, Sync and Undo so, and what was read is written back: `npm run test:slow`.
 * - `engine-long` has the engine tests that take longest: many faults, users or random forms. `npm run test:slow` runs them.
 * - `slow` has numbers that take minutes, and tests of the project's commands: `npm run test:slow`.
 * - `compat` is `engine` on another release of n8n's engine. `npm run test:compat` installs each release of
 *   docs/compatibility.md, and sets N8N_ENGINE to its folder and N8N_PACKAGE to the package within it.
 * - `editor` and `processes` need a real n8n, a browser and, for queue mode, a cluster. `npm run test:e2e` installs them
 *   and sets N8N_RELEASE.
 */
const { availableParallelism } = require('node:os');
const { resolve } = require('node:path');
const typescript = require('./environment/typescript');

const rootDir = resolve(__dirname, '..');
const toRoots = (folders) => folders.map((folder) => `<rootDir>/${folder}`);

const requireOnce = '<rootDir>/test/environment/requireOnce.js';

const base = {
  rootDir,
  testEnvironment: '<rootDir>/test/environment/sharedContext.js',
  transform: {
    ...typescript,
    '/test/environment/processCache\\.js$': requireOnce,
    // Installed packages, without Jest's own.
    '/node_modules/(?!(@?jest|expect|@swc)\\b)[^.].*\\.[cm]?js$': requireOnce,
  },
  transformIgnorePatterns: [],
  // Jest looks for files in these folders only. `test/e2e` and `.cache` hold whole installations of n8n.
  roots: toRoots([
    'nodes',
    'credentials',
    'test/unit',
    'test/engine',
    'test/service',
    'test/harness',
    'test/environment',
    'test/scripts',
    'test/workflows',
  ]),
};

/** Tests of the project's own commands, which start processes for 1 to 3 s. */
const LONG_SCRIPTS = ['build', 'firstContact', 'npmTest', 'release', 'workers'].map(
  (name) => `<rootDir>/test/scripts/${name}.test.ts`,
);

const unit = {
  ...base,
  displayName: 'unit',
  testMatch: ['<rootDir>/test/{unit,service,harness,environment,scripts}/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', ...LONG_SCRIPTS],
};

/** Loading a module of n8n, or of the adapter, fails here. */
const client = {
  ...base,
  displayName: 'client',
  roots: toRoots(['test/client']),
  testMatch: ['<rootDir>/test/client/**/*.test.ts'],
  moduleNameMapper: {
    '^(n8n-|@n8n/)|/n8n/': '<rootDir>/test/client/noN8n.js',
  },
};

/** Tests of the engine that `npm test` leaves to the slower suites: each takes 3 to 9 s. */
const LONG = [
  'agents/toolCalls',
  'copyExample',
  'exchangedNodes',
  'pairing',
  'polling/example',
  'polling/promises',
  'records/filterForm.property',
  'reliability/hostile',
  'reliability/itemUsers',
  'reliability/lanes',
  'reliability/runs',
  'reliability/updates',
  'resources/runs',
  'retries/creates',
  'retries/operations',
  'trigger/limits',
];

const engineBase = {
  ...base,
  globalSetup: '<rootDir>/test/buildIfStale.js',
};

const engine = {
  ...engineBase,
  displayName: 'engine',
  testMatch: ['<rootDir>/test/{engine,workflows}/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', `<rootDir>/test/engine/(${LONG.join('|')}).test.ts`],
};

const engineLong = {
  ...engineBase,
  displayName: 'engine-long',
  testMatch: LONG.map((file) => `<rootDir>/test/engine/${file}.test.ts`),
};

const slow = {
  ...base,
  displayName: 'slow',
  roots: toRoots(['test/slow', 'test/scripts']),
  testMatch: ['<rootDir>/test/slow/**/*.test.ts', ...LONG_SCRIPTS],
};

/** The same tests for the embedded service as clients met it (test/service/README.md, Profiles). */
const asMet = (project, testMatch, displayName = `${project.displayName}-met`) => ({
  ...project,
  displayName,
  testMatch,
  testEnvironmentOptions: { profile: 'met' },
});

/** Tests of the client that a profile of the service does not change. */
const NO_PROFILE = ['ended', 'jobs', 'lanes', 'limits', 'logs', 'noN8n', 'sharedReads'];

/** Triggers, Create or Update and Sync, which take too long to run twice in `npm test`. */
const LONG_AS_MET = [
  'trigger/**',
  'polling/**',
  'retries/order',
  'records/{undo*,upsert,getOrCreate,sync*,roundTrip*,writeBack,filterForm*,connectionFilters*}',
].map((file) => `<rootDir>/test/engine/${file}${file.endsWith('**') ? '/*' : ''}.test.ts`);

const createCompat = (folder) => ({
  ...engine,
  displayName: 'compat',
  testPathIgnorePatterns: ['/node_modules/'],
  globalSetup: undefined,
  moduleNameMapper: {
    '^(n8n-core|n8n-workflow|@n8n/di|@n8n/backend-common)(/.*)?$': `${folder}/node_modules/$1$2`,
  },
});

const createE2e = (displayName, parts, more) => ({
  rootDir,
  displayName,
  testEnvironment: 'node',
  transform: typescript,
  // Not the folder itself: n8n's own installation lies in it.
  roots: toRoots(parts.map((part) => `test/e2e/${part}`)),
  testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
  ...more,
});

const e2e = [
  createE2e('editor', ['agents', 'browser', 'users', 'waiting'], {
    globalSetup: '<rootDir>/test/e2e/startSharedN8n.ts',
    globalTeardown: '<rootDir>/test/e2e/stopSharedN8n.ts',
  }),
  // These tests start and end n8n themselves.
  createE2e('processes', ['command', 'queue']),
];

const { N8N_ENGINE, N8N_RELEASE, TEST_TIMEOUT } = process.env;

module.exports = {
  rootDir,
  projects: [
    unit,
    client,
    engine,
    // What the others test has no profile: limits, jobs, logs, what processes and executions share.
    asMet(client, [`<rootDir>/test/client/!(${NO_PROFILE.join('|')}).test.ts`]),
    asMet(engine, ['<rootDir>/test/engine/contract.test.ts']),
    slow,
    engineLong,
    asMet(engineLong, LONG_AS_MET, 'engine-met-long'),
    ...(N8N_ENGINE ? [createCompat(N8N_ENGINE)] : []),
    ...(N8N_RELEASE ? e2e : []),
  ],
  // Jest's default is one less. One more than the cores ends 2 s earlier and computes for 20 s more: each worker loads n8n.
  maxWorkers: availableParallelism(),
  // Milliseconds that a worker has to end after its last test. With Jest's default of 500, n8n's timers (up to 2 s) and a
  // loaded machine miss it: test/environment/README.md.
  workerGracefulExitTimeout: 30_000,
  // Milliseconds. Ends a test that hangs, also on a machine that is busy with something else. Mutation sets a shorter one.
  testTimeout: Number(TEST_TIMEOUT ?? 10 * 60_000),
  // `npm run test:coverage`: which lines of the shipped code the unit tests execute, with a minimum for each part. Engine
  // tests run the built package and are not counted: they hold most of the adapter and of the resources.
  coverageDirectory: 'coverage',
  collectCoverageFrom: ['nodes/**/*.ts', 'credentials/**/*.ts'],
  coverageReporters: ['text-summary', 'html'],
  coverageThreshold: {
    './nodes/service/': { lines: 92, branches: 89 },
    './nodes/records/': { lines: 92, branches: 89 },
    './nodes/n8n/': { lines: 50, branches: 30 },
    './nodes/RecordDatabaseTrigger/': { lines: 76, branches: 78 },
    './nodes/RecordDatabasePollingTrigger/': { lines: 55, branches: 53 },
    // The other nodes and the credential.
    global: { lines: 40, branches: 12 },
  },
};
