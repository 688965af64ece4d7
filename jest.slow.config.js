/** Suites at numbers that take minutes; `npm run test:slow` (build first). */
const { projects, maxWorkers } = require('./jest.config.js');

// All random iterations, unless the environment names another share.
process.env.RUNS_SHARE ??= '1';

module.exports = {
  ...projects[0],
  displayName: 'slow',
  maxWorkers,
  roots: ['<rootDir>/test/slow'],
  testMatch: ['<rootDir>/test/slow/**/*.test.ts'],
  // Milliseconds; ends a test that hangs.
  testTimeout: 3_600_000,
};
