const { projects } = require('../../jest.config.js');
const parts = require('./parts.js');

const { built } = parts[process.env.PART];
// Without `globalSetup`: it would build `dist` again, without the changes.
const { globalSetup, ...project } = projects[built ? 1 : 0];

module.exports = {
  ...project,
  rootDir: '../..',
  testMatch: [`<rootDir>/${process.env.TESTS}`],
  testTimeout: built ? 60_000 : 30_000,
};
