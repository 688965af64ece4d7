/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** `docs/architecture.md`, law 1: imports run one way. */
const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));

const findImports = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import\(|require\()\s*'([^']+)'/g)].map(([, target]) =>
    target!.startsWith('.') ? normalize(join(dirname(file), target!)) : target!,
  );

const findViolations = (of: string[], isAllowed: (target: string, file: string) => boolean) =>
  of.flatMap((file) =>
    findImports(file)
      .filter((target) => !isAllowed(target, file))
      .map((target) => `${file} imports ${target}`),
  );

const SHARED = 'nodes/shared';
const isInside =
  (...folders: string[]) =>
  (target: string) =>
    folders.some((folder) => target.startsWith(folder));

const PURE = [
  'retry',
  'rateLimit/rateLimiter',
  'http/path',
  'paging/readList',
  'paging/readVerifiedList',
].map((name) => `${SHARED}/transport/${name}.ts`);

/** All direct and indirect imports of a file, for values or types. */
function findReachable(file: string, reached = new Set<string>()): Set<string> {
  for (const target of findImports(file)) {
    if (reached.has(target)) continue;
    reached.add(target);
    if (existsSync(`${target}.ts`)) findReachable(`${target}.ts`, reached);
  }
  return reached;
}

test('model imports nothing from n8n and nothing above it', () => {
  const allowed = (target: string) =>
    isInside(`${SHARED}/model`)(target) || ['luxon', 'zod', 'lodash'].includes(target);
  expect(findViolations(listFiles(`${SHARED}/model`), allowed)).toEqual([]);
});

test.each(PURE)('%s imports nothing from n8n, directly or indirectly', (file) => {
  expect([...findReachable(file)].filter((target) => target.startsWith('n8n'))).toEqual([]);
});

test('transport imports model and never kit', () => {
  const allowed = (target: string) =>
    !target.startsWith('nodes/') || isInside(`${SHARED}/model`, `${SHARED}/transport`)(target);
  expect(findViolations(listFiles(`${SHARED}/transport`), allowed)).toEqual([]);
});

test('the kit imports transport and model, never a node', () => {
  const allowed = (target: string) => !target.startsWith('nodes/') || isInside(`${SHARED}/`)(target);
  expect(findViolations(listFiles(`${SHARED}/kit`), allowed)).toEqual([]);
});

test('the comparisons and readings of the polling trigger import nothing of n8n', () => {
  const files = ['changes', 'reading'].flatMap((name) =>
    listFiles(`nodes/RecordDatabasePollingTrigger/${name}`),
  );
  expect(files.length).toBeGreaterThan(5);
  expect(findViolations(files, (target) => !target.startsWith('n8n'))).toEqual([]);
});

test('node folders never import each other', () => {
  const folders = readdirSync('nodes').filter((name) => name !== 'shared');
  const all = folders.flatMap((folder) => listFiles(`nodes/${folder}`));
  const allowed = (target: string, file: string) =>
    !target.startsWith('nodes/') || isInside(`${SHARED}/`, file.split('/').slice(0, 2).join('/'))(target);
  expect(folders.length).toBeGreaterThan(0);
  expect(findViolations(all, allowed)).toEqual([]);
});

test('the embedded service shares nothing with the nodes', () => {
  const allowed = (target: string) => !/^(nodes|credentials|dist)\b/.test(target);
  expect(findViolations(listFiles('test/service'), allowed)).toEqual([]);
});

test("only the files that docs/architecture.md names call n8n's http helper", () => {
  const callers = [...listFiles('nodes'), ...listFiles('credentials')].filter((file) =>
    /helpers\s*\.\s*(httpRequest|request)/.test(readFileSync(file, 'utf8')),
  );
  expect(callers.sort()).toEqual([
    'nodes/shared/transport/auth/testCredential.ts',
    'nodes/shared/transport/download/fetchFile.ts',
    'nodes/shared/transport/http/sendRequest.ts',
  ]);
});

test('only one file contains an item loop', () => {
  const loops = listFiles('nodes').filter((file) => /continueOnFail\(/.test(readFileSync(file, 'utf8')));
  expect(loops).toEqual([`${SHARED}/kit/operation/runItems.ts`]);
});
