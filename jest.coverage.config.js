/** `npm run coverage`: which lines of the shipped code the unit tests execute, with a minimum. */
const { projects, ...settings } = require('./jest.config.js');

module.exports = {
  ...settings,
  ...projects[0],
  collectCoverage: true,
  collectCoverageFrom: ['nodes/client/**/*.ts', 'nodes/RecordDatabaseTrigger/**/*.ts'],
  coverageReporters: ['text-summary', 'html'],
  coverageThreshold: { global: { lines: 91, branches: 85 } },
};
