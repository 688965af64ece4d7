/**
 * The engine tests on another release of n8n's engine. `npm run compat` installs each release of
 * docs/compatibility.md and sets N8N_ENGINE to its folder.
 */
const typescript = require('./test/environment/typescript');
const { projects, testTimeout } = require('./jest.config.js');

const folder = process.env.N8N_ENGINE;
if (!folder) throw new Error('N8N_ENGINE must be the folder with the node_modules of a release of n8n-core');

// Each test file loads its modules anew: a module that is shared by the files of a process finds this project's n8n.
const { transformIgnorePatterns, ...engine } = projects.find(({ displayName }) => displayName === 'engine');

module.exports = {
  ...engine,
  testEnvironment: 'node',
  moduleNameMapper: {
    '^(n8n-core|n8n-workflow|@n8n/di|@n8n/backend-common)(/.*)?$': `${folder}/node_modules/$1$2`,
  },
  // Some releases come with packages that are ES modules only, which Jest does not load without a transform.
  transform: {
    ...typescript,
    '/node_modules/(p-retry|p-queue|is-network-error)/.+\\.js$': Object.values(typescript)[0],
  },
  transformIgnorePatterns: ['/node_modules/(?!(p-retry|p-queue|is-network-error)/)'],
  testTimeout,
};
