/**
 * Two parts: what n8n's own scanner enforces on the sources that ship (the same rule sets, so that nothing
 * surprises at release), and TypeScript's recommended rules for everything.
 */
import { buildScanConfig } from '@n8n/scan-community-package/scanner/scanner.mjs';
import tseslint from 'typescript-eslint';

const shipped = ['package.json', 'nodes/**', 'credentials/**'];

const scan = (await buildScanConfig()).map((config) => ({
  ...config,
  files: config.files ?? shipped,
}));

export default [
  { ignores: ['dist', 'coverage', 'reports', 'node_modules', '**/node_modules', '.cache'] },
  ...scan,
  ...tseslint.configs.recommended.map((config) => ({ ...config, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
];
