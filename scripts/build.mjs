/**
 * Compiles the package to `dist` and copies icons and codex files beside it. Compiles each file alone, without its
 * types (`isolatedModules`); `npm run typecheck` checks them, also at the start of `npm run build`.
 * `--if-stale` skips the build when `dist` belongs to the current sources.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { isBuildCurrent, recordBuild } from './buildStamp.mjs';

const run = (...args) => {
  const { status } = spawnSync('npx', ['--no-install', ...args], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
};

if (!process.argv.includes('--if-stale') || !isBuildCurrent()) {
  rmSync('dist', { recursive: true, force: true });
  console.log('… Building the package: some seconds');
  run('tsc', '-p', 'tsconfig.build.json');
  run('gulp', '--silent');
  recordBuild();
}
