/** Jest runs this before the engine tests: they execute `dist`, so it must belong to the current sources. */
const { execFileSync } = require('node:child_process');
const { join } = require('node:path');

module.exports = () =>
  execFileSync(process.execPath, ['scripts/build.mjs', '--if-stale'], {
    cwd: join(__dirname, '..'),
    stdio: 'inherit',
  });
