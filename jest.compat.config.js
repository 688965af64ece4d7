/**
 * The engine tests on another release of n8n's engine. `npm run compat` installs each release of
 * docs/compatibility.md, and sets N8N_ENGINE to its folder and N8N_PACKAGE to the package within it.
 */
const { projects, maxWorkers, testTimeout } = require('./jest.config.js');

const folder = process.env.N8N_ENGINE;
if (!folder) throw new Error('N8N_ENGINE must be the folder with the node_modules of a release of n8n-core');

module.exports = {
  ...projects.find(({ displayName }) => displayName === 'engine'),
  moduleNameMapper: {
    '^(n8n-core|n8n-workflow|@n8n/di|@n8n/backend-common)(/.*)?$': `${folder}/node_modules/$1$2`,
  },
  maxWorkers,
  // n8n 2.0 leaves a timer that keeps the process alive.
  forceExit: true,
  testTimeout,
};
