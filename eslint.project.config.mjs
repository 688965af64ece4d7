/**
 * The rules of `npm run lint`: n8n's own, which n8n's strict mode does not let a package change (`eslint.config.mjs`),
 * and the order of the imports. `.oxlintrc.json` has the rules that need types.
 */
import simpleImportSort from 'eslint-plugin-simple-import-sort';
import n8nConfig from './eslint.config.mjs';

export default [
  { ignores: ['coverage', 'reports', '**/node_modules', '.cache'] },
  ...n8nConfig,
  {
    files: ['**/*.ts'],
    plugins: { 'simple-import-sort': simpleImportSort },
    rules: {
      // Node's modules, packages, files of other folders, files of this folder; without blank lines between them.
      'simple-import-sort/imports': [
        'error',
        { groups: [['^\\u0000', '^node:', '^@?\\w', '^\\.\\.', '^\\.']] },
      ],
    },
  },
];
