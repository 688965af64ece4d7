/** Compiles the package to `dist` and copies icons and codex files beside it. */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';

const run = (...args) => {
  const { status } = spawnSync('npx', ['--no-install', ...args], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
};

rmSync('dist', { recursive: true, force: true });
run('tsc', '-p', 'tsconfig.build.json');
run('gulp', '--silent');
