/** Records which sources `dist` was built from, so that tests and releases detect a stale build. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const STAMP = '.cache/built-from';
const SOURCES = ['nodes', 'credentials', 'icons'];
const SETTINGS = ['tsconfig.json', 'tsconfig.build.json', 'gulpfile.js'];

const listFiles = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));

function hashSources() {
  const hash = createHash('sha256');
  for (const file of [...SOURCES.flatMap(listFiles), ...SETTINGS].sort()) {
    hash.update(`${file}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

/** Whether `dist` exists and was built from the current sources. */
export const isBuildCurrent = () =>
  existsSync('dist/nodes') && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hashSources();

export function recordBuild() {
  mkdirSync('.cache', { recursive: true });
  writeFileSync(STAMP, hashSources());
}
