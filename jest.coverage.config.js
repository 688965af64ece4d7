/**
 * `npm run coverage`: which lines of the shipped code the unit tests execute, with a minimum for each part. Engine tests
 * run the built package and are not counted: they hold most of the adapter and of the resources.
 */
const { projects, ...settings } = require('./jest.config.js');

module.exports = {
  ...settings,
  ...projects[0],
  collectCoverage: true,
  collectCoverageFrom: ['nodes/**/*.ts', 'credentials/**/*.ts'],
  coverageReporters: ['text-summary', 'html'],
  coverageThreshold: {
    './nodes/client/': { lines: 92, branches: 89 },
    './nodes/n8n/': { lines: 50, branches: 30 },
    './nodes/RecordDatabaseTrigger/': { lines: 76, branches: 78 },
    './nodes/RecordDatabasePollingTrigger/': { lines: 55, branches: 53 },
    // The other nodes and the credential.
    global: { lines: 40, branches: 12 },
  },
};
