/** A real n8n, a browser and, for queue mode, a cluster: `npm run e2e`. */
const typescript = require('./test/environment/typescript');

const createProject = (displayName, parts, more) => ({
  displayName,
  testEnvironment: 'node',
  transform: typescript,
  // Not the folder itself: n8n's own installation lies in it.
  roots: parts.map((part) => `<rootDir>/test/e2e/${part}`),
  testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
  ...more,
});

module.exports = {
  projects: [
    createProject('editor', ['agents', 'browser', 'users'], {
      globalSetup: '<rootDir>/test/e2e/startSharedN8n.ts',
      globalTeardown: '<rootDir>/test/e2e/stopSharedN8n.ts',
    }),
    // These tests start and end n8n themselves.
    createProject('processes', ['command', 'queue']),
  ],
  // Ends what hangs; on a busy machine the queue alone takes some minutes.
  testTimeout: 3_600_000,
  maxWorkers: 1,
  // Where n8n or the browser did not start, something of it may keep the process alive.
  forceExit: true,
};
