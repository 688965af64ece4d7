/**
 * The engine tests on another release of n8n's engine. `npm run compat` installs each release of
 * docs/compatibility.md and sets N8N_ENGINE to its folder.
 */
const { projects, testTimeout } = require('./jest.config.js');

const folder = process.env.N8N_ENGINE;
if (!folder) throw new Error('N8N_ENGINE must be the folder with the node_modules of a release of n8n-core');

const engine = projects.find(({ displayName }) => displayName === 'engine');

module.exports = {
  ...engine,
  moduleNameMapper: {
    '^(n8n-core|n8n-workflow|@n8n/di|@n8n/backend-common)(/.*)?$': `${folder}/node_modules/$1$2`,
  },
  // Some releases come with packages that are ES modules only, which Jest does not load without a transform.
  transform: {
    ...engine.transform,
    '/node_modules/(p-retry|p-queue|is-network-error)/.+\\.js$': Object.values(engine.transform)[0],
  },
  transformIgnorePatterns: ['/node_modules/(?!(p-retry|p-queue|is-network-error)/)'],
  testTimeout,
};
