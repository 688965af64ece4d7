const { projects } = require('../../jest.config.js');

module.exports = {
  ...projects[0],
  rootDir: '../..',
  testMatch: [`<rootDir>/test/unit/${process.env.PART}/*.test.ts`],
  testTimeout: 30_000,
};
