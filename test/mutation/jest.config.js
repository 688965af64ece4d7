/** For the parts that are changed in `dist`. Stryker wraps the environment of the tests in its own. */
const { projects } = require('../../jest.config.js');

// Without `globalSetup`: it would build `dist` again, without the changes.
const { globalSetup, ...engine } = projects[1];

// Stryker's environment is loaded before ours, when there is no `requireOnce` yet.
const transform = Object.fromEntries(
  Object.entries(engine.transform).map(([pattern, transformer]) => [
    pattern.replace('@swc', '@swc|@stryker-mutator'),
    transformer,
  ]),
);

module.exports = {
  ...engine,
  transform,
  testEnvironment: require.resolve('../environment/sharedContext.js'),
  rootDir: '../..',
  testMatch: [`<rootDir>/${process.env.TESTS}`],
  testTimeout: 60_000,
};
