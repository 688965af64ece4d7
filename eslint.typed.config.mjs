/**
 * The rules of `npm run lint`: n8n's own, which n8n's strict mode does not let a package change (`eslint.config.mjs`),
 * and those of this project, which need types or order the imports.
 */
import simpleImportSort from 'eslint-plugin-simple-import-sort';
import tseslint from 'typescript-eslint';
import n8nConfig from './eslint.config.mjs';

const TYPED = ['nodes', 'credentials', 'test/service', 'test/harness', 'test/engine', 'test/unit'];

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
  {
    files: TYPED.map((folder) => `${folder}/**/*.ts`),
    // n8n's configuration has an older copy of this plugin under its usual name.
    plugins: { typed: tseslint.plugin },
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      'typed/await-thenable': 'error',
      'typed/no-floating-promises': 'error',
      'typed/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
    },
  },
  {
    files: ['test/**/*.ts'],
    plugins: { typed: tseslint.plugin },
    // fast-check and Jest accept promises where their types say void.
    rules: { 'typed/no-misused-promises': 'off' },
  },
];
