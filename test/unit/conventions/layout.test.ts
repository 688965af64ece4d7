/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { KIND_NAMES } from '../records/fields/fieldTools';

/** The folders of files and the names of functions. `docs/development/architecture.md` gives the reasons. */

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const listSources = (folder: string) => listFiles(folder).filter((file) => file.endsWith('.ts'));

const listMatches = (files: string[], pattern: RegExp): string[] =>
  files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1} ${line.trim()}`] : [])),
  );

test('no function is named with a trailing Of or In', () => {
  const pattern =
    /(?:function\s+|const\s+|^\s*(?:async\s+)?)[a-z]\w*(?:Of|In)\s*(?:<[^>]*>)?\s*(?:\(.*\{$|= (?:async )?\()/;
  expect(listMatches(['nodes', 'credentials'].flatMap(listSources), pattern)).toEqual([]);
});

test('the floors name no option of the form', () => {
  const labels = /'[^']*"(?:Request Timeout|Parallel Requests|Request Options|An Update Sends)"/;
  expect(listMatches(['nodes/service', 'nodes/records'].flatMap(listSources), labels)).toEqual([]);
});

test('a parameter is read by its definition, not by its name', () => {
  const reads = /\bgetNodeParameter\((?!name\b)/;
  const found = listMatches(['nodes', 'credentials'].flatMap(listSources), reads);
  // The runner reads the resource, the operation, the request options and the table before there is an item.
  const isRunner = (hit: string) =>
    /^nodes\/n8n\/operation\/(runItems|nodeProperties|item|tableByName)\.ts/.test(hit);
  expect(found.filter((hit) => !isRunner(hit))).toEqual([]);
  expect(listMatches(listSources('nodes'), /\.read(?:Option)?\(\s*['"`]/)).toEqual([]);
});

test('what depends on the kind of a field is a property of the kind', () => {
  const names = KIND_NAMES.join('|');
  const comparisons = new RegExp(`\\bkind\\b\\s*[=!]==\\s*'(?:${names})'|\\.includes\\((?:\\w+\\.)?kind\\)`);
  const others = listSources('nodes').filter((file) => !file.startsWith('nodes/records/fields/'));
  expect(listMatches(others, comparisons)).toEqual([]);
});

test('each file that defines a kind of field has a test of its own', () => {
  const files = readdirSync('nodes/records/fields').filter((name) => name !== 'kind.ts');
  const kinds = files.filter((name) =>
    /\bdefineKind\(/.test(readFileSync(`nodes/records/fields/${name}`, 'utf8')),
  );
  const tests = readdirSync('test/unit/records/fields');
  // A file of several kinds has one test for each: `plainKinds.number.test.ts`.
  const untested = kinds
    .map((name) => name.replace(/ts$/, ''))
    .filter((prefix) => !tests.some((test) => test.startsWith(prefix)));
  expect(kinds.length).toBeGreaterThan(4);
  expect(untested.map((prefix) => `write test/unit/records/fields/${prefix}test.ts`)).toEqual([]);
});

test('each unit test stands at the path of the file that it tests, or in the folder of its subject for a floor', () => {
  const tests = listFiles('test/unit')
    .filter((file) => file.endsWith('.test.ts') && !file.startsWith('test/unit/conventions'))
    .map((file) => file.replace('test/unit/', ''));
  // A floor is entered by its door: a file of it may be split or renamed without a change of its tests.
  const isOfFloor = (file: string) =>
    /^(service|records)\//.test(file) && existsSync(join('nodes', dirname(file)));
  // `index.property.test.ts` is a second test of `index.ts`.
  const hasSource = (file: string) =>
    ['', '.credentials'].some((suffix) => {
      const name = basename(file).split('.')[0];
      const source = join(dirname(file), `${name}${suffix}.ts`);
      return existsSync(join('nodes', source)) || existsSync(source);
    });
  expect(tests.filter((file) => !isOfFloor(file) && !hasSource(file))).toEqual([]);
});

test('no file contains a path of the machine that it was written on', () => {
  const tracked = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0').filter(Boolean);
  const texts = tracked.filter((file) => /\.(ts|mjs|js|json|md|yml)$/.test(file) && existsSync(file));
  const folders = ['nodes', 'test', 'docs'].map((folder) => resolve(folder));
  const hits = texts.filter((file) => {
    const text = readFileSync(file, 'utf8');
    return /\/Users\/\w+\/|\/root\/\w/.test(text) || folders.some((folder) => text.includes(folder));
  });
  expect(hits).toEqual([]);
});
