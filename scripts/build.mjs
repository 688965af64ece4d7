/**
 * Compiles the package to `dist` and copies icons and codex files beside it.
 * `--if-stale` skips the build when `dist` belongs to the current sources.
 * `--no-check` leaves out the type check, for commands that check types themselves. The output is the same: with
 * `isolatedModules`, the compiler needs no other file to compile one.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { isBuildCurrent, recordBuild } from './buildStamp.mjs';

const NO_CHECK = ['--noCheck', '--noResolve', '--types', 'null'];

const run = (...args) => {
  const { status } = spawnSync('npx', ['--no-install', ...args], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
};

if (!process.argv.includes('--if-stale') || !isBuildCurrent()) {
  rmSync('dist', { recursive: true, force: true });
  run('tsc', '-p', 'tsconfig.build.json', ...(process.argv.includes('--no-check') ? NO_CHECK : []));
  run('gulp', '--silent');
  recordBuild();
}
