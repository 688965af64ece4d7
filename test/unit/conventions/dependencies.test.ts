/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { preProcessFile } from 'typescript';

interface PackageFile {
  dependencies?: object;
  devDependencies?: object;
  peerDependencies?: object;
}

const listFiles = (...patterns: string[]) =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], {
    encoding: 'utf8',
  })
    .trim()
    .split('\n');

/** `bench/setup.mjs` unpacks this package without its dependencies, which npm cannot do. */
const UNPACKED = 'bench/contenders/engine.ts: n8n-nodes-base';

/** The packages that each folder with a `package.json` declares. */
const declared = new Map(
  listFiles('package.json', '*/package.json').map((path) => {
    const { dependencies, devDependencies, peerDependencies } = JSON.parse(
      readFileSync(path, 'utf8'),
    ) as PackageFile;
    const names = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies });
    return [posix.dirname(path), new Set(names)];
  }),
);

/** A package may be declared in any folder above the file, as Node looks for it there. */
function isDeclared(name: string, file: string): boolean {
  for (let folder = posix.dirname(file); ; folder = posix.dirname(folder)) {
    if (declared.get(folder)?.has(name)) return true;
    if (folder === '.') return false;
  }
}

/** Returns the packages that a file imports or requires. */
function listPackages(file: string): string[] {
  return preProcessFile(readFileSync(file, 'utf8'), true, true)
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => !name.startsWith('.') && !isBuiltin(name))
    .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
}

test('each package that a file imports is declared, not only installed for another package', () => {
  const files = listFiles('*.ts', '*.mjs', '*.js');
  expect(files.length).toBeGreaterThan(500);
  const problems = files.flatMap((file) =>
    listPackages(file)
      .filter((name) => !isDeclared(name, file))
      .map((name) => `${file}: ${name}`),
  );
  expect(problems).toEqual([UNPACKED]);
});
