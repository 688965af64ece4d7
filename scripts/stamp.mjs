/**
 * A stamp in `.cache` holds the hash of the files that a step read when it last succeeded, so that the step is skipped
 * until one of them changes.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const listFiles = (path) =>
  !statSync(path).isDirectory()
    ? [path]
    : readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath ?? entry.path, entry.name));

function hashFiles(paths) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap(listFiles).sort()) hash.update(`${file}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

/** @param paths files and folders, relative to the project's root */
export function createStamp(name, paths) {
  const file = join('.cache', name);
  return {
    isCurrent: () => existsSync(file) && readFileSync(file, 'utf8') === hashFiles(paths),
    record() {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, hashFiles(paths));
    },
  };
}
