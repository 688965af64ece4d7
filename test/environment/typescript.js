/** The Jest transform of TypeScript files. */
module.exports = {
  '^.+\\.ts$': [
    '@swc/jest',
    {
      jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true } },
      module: { type: 'commonjs' },
    },
  ],
};
