/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not shipped: runs on Node */
import { spawnSync } from 'node:child_process';
import { cpSync, watch } from 'node:fs';
import { join } from 'node:path';
import { debounce } from 'lodash';

const ROOT = join(__dirname, '..');
const SOURCES = ['nodes', 'credentials', 'icons'];

/** Milliseconds without a further change after which the package is built. An editor saves a file in several steps. */
const QUIET_MS = 200;

/** Builds the package and replaces its files in n8n's folder, where n8n notices the change and reloads the nodes. */
function rebuild(packageFolder: string): void {
  const started = performance.now();
  const { status } = spawnSync('node', ['scripts/build.mjs'], { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) return console.error('The build failed. n8n keeps the last version.');
  cpSync(join(ROOT, 'dist'), join(packageFolder, 'dist'), { recursive: true });
  console.log(`Rebuilt in ${((performance.now() - started) / 1000).toFixed(1)} s; n8n reloads the nodes.`);
}

/** Rebuilds the package whenever a source changes. Returns a function that ends the watching. */
export function watchPackage(packageFolder: string): () => void {
  const rebuildSoon = debounce(() => rebuild(packageFolder), QUIET_MS);
  const watchers = SOURCES.map((folder) => watch(join(ROOT, folder), { recursive: true }, rebuildSoon));
  return () => {
    rebuildSoon.cancel();
    watchers.forEach((watcher) => watcher.close());
  };
}
