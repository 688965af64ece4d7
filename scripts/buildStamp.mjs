/**
 * Records which sources `dist` was built from, so that commands skip the build while it is current, and a release
 * refuses a stale one. `.cache/built-from` holds the hash of the sources.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const SETTINGS = ['tsconfig.json', 'tsconfig.build.json', 'gulpfile.js', 'scripts/build.mjs'];
const SOURCES = ['nodes', 'credentials', 'icons', ...SETTINGS];
const STAMP = join('.cache', 'built-from');

const listFiles = (path) =>
  !statSync(path).isDirectory()
    ? [path]
    : readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath ?? entry.path, entry.name));

function hashSources() {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap(listFiles).sort()) hash.update(`${file}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

/** Whether `dist` exists and was built from the current sources. */
export const isBuildCurrent = () =>
  existsSync('dist/nodes') && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hashSources();

export function recordBuild() {
  mkdirSync(dirname(STAMP), { recursive: true });
  writeFileSync(STAMP, hashSources());
}
