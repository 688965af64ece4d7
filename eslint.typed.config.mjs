/**
 * Rules of this project beside n8n's own in `eslint.config.mjs`, which n8n's strict mode does not let a package change:
 * rules that need types, and the order of imports. `npm run lint` runs both.
 */
import { config as n8nConfig } from '@n8n/node-cli/eslint';
import simpleImportSort from 'eslint-plugin-simple-import-sort';
import tseslint from 'typescript-eslint';

// ESLint must know the rules that disable comments name, although this file turns none of them on.
const n8nPlugins = Object.assign({}, ...n8nConfig.map(({ plugins }) => plugins));

export default [
  { ignores: ['dist', 'coverage', 'reports', '**/node_modules', '.cache', 'test/e2e'] },
  {
    files: ['**/*.ts'],
    plugins: { ...n8nPlugins, '@typescript-eslint': tseslint.plugin, 'simple-import-sort': simpleImportSort },
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
    // The disable comments belong to the rules of eslint.config.mjs.
    linterOptions: { reportUnusedDisableDirectives: 'off' },
    rules: {
      // Node's modules, packages, files of other folders, files of this folder; without blank lines between them.
      'simple-import-sort/imports': [
        'error',
        { groups: [['^\\u0000', '^node:', '^@?\\w', '^\\.\\.', '^\\.']] },
      ],
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
    },
  },
  {
    files: ['test/**/*.ts'],
    // fast-check and Jest accept promises where their types say void.
    rules: { '@typescript-eslint/no-misused-promises': 'off' },
  },
];
