/** Runs the benchmark with the packages of the HTTP Request node in the module path; see setup.mjs. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const { status } = spawnSync(
  process.execPath,
  ['--import', 'tsx', `${folder}index.ts`, ...process.argv.slice(2)],
  {
    stdio: 'inherit',
    env: { ...process.env, NODE_PATH: `${folder}node_modules` },
  },
);
process.exit(status ?? 1);
