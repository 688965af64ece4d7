/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
/** Measures how long the built package takes to load: alone, and after n8n has loaded the shared libraries. */
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { n8n } from '../package.json';

export interface LoadTimes {
  alone: number;
  inN8n: number;
  files: number;
}

const root = join(__dirname, '..');
const load = createRequire(join(root, 'package.json'));
const files = [...n8n.nodes, ...n8n.credentials].map((file) => join(root, file));

/** Requires every file and makes the nodes, as n8n's loader does. @returns milliseconds */
function loadAll(): number {
  const from = performance.now();
  for (const file of files) {
    const exported = load(file) as Record<string, new () => unknown>;
    // n8n makes the class that has the name of the file; a module may export more.
    const name = basename(file).split('.')[0]!;
    const Type = exported[name];
    if (!Type) throw new Error(`${file} exports no class ${name}`);
    new Type();
  }
  return performance.now() - from;
}

process.on('message', () => {
  const listOwnFiles = () => Object.keys(load.cache).filter((name) => name.startsWith(join(root, 'dist')));
  load('n8n-workflow');
  const alone = loadAll();
  const loaded = listOwnFiles();
  for (const name of loaded) delete load.cache[name];
  const inN8n = loadAll();
  process.send?.({ alone, inN8n, files: loaded.length } satisfies LoadTimes);
});
