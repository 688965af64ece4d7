import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** `docs/architecture.md`, law 1: imports run one way. */
const files = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));

const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import\(|require\()\s*'([^']+)'/g)].map(([, target]) =>
    target!.startsWith('.') ? normalize(join(dirname(file), target!)) : target!,
  );

const violations = (of: string[], allowed: (target: string, file: string) => boolean) =>
  of.flatMap((file) =>
    importsOf(file)
      .filter((target) => !allowed(target, file))
      .map((target) => `${file} imports ${target}`),
  );

const SHARED = 'nodes/shared';
const inside =
  (...folders: string[]) =>
  (target: string) =>
    folders.some((folder) => target.startsWith(folder));

const PURE = ['retry', 'budget', 'path', 'pages'].map((name) => `${SHARED}/transport/${name}.ts`);

/** Everything that a file needs at run time or for its types, through its own imports and theirs. */
function reachedFrom(file: string, reached = new Set<string>()): Set<string> {
  for (const target of importsOf(file)) {
    if (reached.has(target)) continue;
    reached.add(target);
    if (existsSync(`${target}.ts`)) reachedFrom(`${target}.ts`, reached);
  }
  return reached;
}

test('model imports nothing from n8n and nothing above it', () => {
  const allowed = (target: string) =>
    inside(`${SHARED}/model`)(target) || ['luxon', 'zod', 'lodash'].includes(target);
  expect(violations(files(`${SHARED}/model`), allowed)).toEqual([]);
});

test.each(PURE)('%s is pure: it reaches nothing of n8n', (file) => {
  expect([...reachedFrom(file)].filter((target) => target.startsWith('n8n'))).toEqual([]);
});

test('transport imports model, never the kit', () => {
  const allowed = (target: string) =>
    !target.startsWith('nodes/') || inside(`${SHARED}/model`, `${SHARED}/transport`)(target);
  expect(violations(files(`${SHARED}/transport`), allowed)).toEqual([]);
});

test('the kit imports transport and model, never a node', () => {
  const allowed = (target: string) => !target.startsWith('nodes/') || inside(`${SHARED}/`)(target);
  expect(violations(files(`${SHARED}/kit`), allowed)).toEqual([]);
});

test('node folders never import each other', () => {
  const folders = readdirSync('nodes').filter((name) => name !== 'shared');
  const all = folders.flatMap((folder) => files(`nodes/${folder}`));
  const allowed = (target: string, file: string) =>
    !target.startsWith('nodes/') || inside(`${SHARED}/`, file.split('/').slice(0, 2).join('/'))(target);
  expect(folders.length).toBeGreaterThan(0);
  expect(violations(all, allowed)).toEqual([]);
});

test('the embedded service shares nothing with the nodes', () => {
  const allowed = (target: string) => !/^(nodes|credentials|dist)\b/.test(target);
  expect(violations(files('test/service'), allowed)).toEqual([]);
});

test("n8n's http helper has the callers that docs/architecture.md names, and no other", () => {
  const callers = [...files('nodes'), ...files('credentials')].filter((file) =>
    /helpers\s*\.\s*(httpRequest|request)/.test(readFileSync(file, 'utf8')),
  );
  expect(callers.sort()).toEqual([
    'nodes/shared/transport/credentialTest.ts',
    'nodes/shared/transport/fetchFile.ts',
    'nodes/shared/transport/login.ts',
    'nodes/shared/transport/send.ts',
  ]);
});

test('an item loop stands in one place', () => {
  const loops = files('nodes').filter((file) => /continueOnFail\(/.test(readFileSync(file, 'utf8')));
  expect(loops).toEqual([`${SHARED}/kit/runItems.ts`]);
});
