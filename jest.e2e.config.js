/** A real n8n, a browser and, for queue mode, a cluster: `npm run e2e`. */
const [unit] = require('./jest.config').projects;

module.exports = {
  ...unit,
  displayName: 'e2e',
  // Not the folder itself: n8n's own installation lies in it.
  roots: ['agents', 'browser', 'command', 'queue'].map((part) => `<rootDir>/test/e2e/${part}`),
  testMatch: ['<rootDir>/test/e2e/**/*.test.ts'],
  // Ends what hangs; on a busy machine the queue alone takes some minutes.
  testTimeout: 3_600_000,
  maxWorkers: 1,
  // Where n8n or the browser did not start, something of it may keep the process alive.
  forceExit: true,
};
