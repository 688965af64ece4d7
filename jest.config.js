/**
 * Two kinds of tests in one run: `unit` mirrors `nodes/`, `engine` runs workflow JSON on n8n's own
 * engine with the built package (so build first; `npm test` does).
 */
const base = {
  testEnvironment: 'node',
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true } },
        module: { type: 'commonjs' },
      },
    ],
  },
};

module.exports = {
  projects: [
    { ...base, displayName: 'unit', testMatch: ['<rootDir>/test/unit/**/*.test.ts'] },
    { ...base, displayName: 'engine', testMatch: ['<rootDir>/test/engine/**/*.test.ts'] },
  ],
  // Most suites wait for sockets: a worker a core, not one less.
  maxWorkers: '100%',
  // Ends what hangs, and nothing else: how long a test takes is the machine's affair.
  testTimeout: 900_000,
};
