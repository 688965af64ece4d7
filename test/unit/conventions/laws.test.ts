/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** `docs/architecture.md`: imports run one way, from the nodes to the adapter to the client. */
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

const isInside =
  (...folders: string[]) =>
  (target: string) =>
    folders.some((folder) => `${target}/`.startsWith(folder));

const CLIENT = 'nodes/client/';
const ADAPTER = 'nodes/n8n/';

/** Packages that the client may import. It knows nothing of n8n. */
const CLIENT_PACKAGES = ['luxon', 'zod', 'lodash', 'node:crypto'];

test('the client imports only itself and the packages that it may use', () => {
  const allowed = (target: string) => isInside(CLIENT)(target) || CLIENT_PACKAGES.includes(target);
  expect(findViolations(listFiles(CLIENT), allowed)).toEqual([]);
});

test('the adapter imports the client, never a node', () => {
  const allowed = (target: string) => !target.startsWith('nodes/') || isInside(CLIENT, ADAPTER)(target);
  expect(findViolations(listFiles(ADAPTER), allowed)).toEqual([]);
});

test('node folders never import each other', () => {
  const folders = readdirSync('nodes').filter((name) => name.startsWith('RecordDatabase'));
  const all = folders.flatMap((folder) => listFiles(`nodes/${folder}`));
  const allowed = (target: string, file: string) =>
    !target.startsWith('nodes/') || isInside(CLIENT, ADAPTER, file.split('/').slice(0, 2).join('/'))(target);
  expect(folders).toHaveLength(9);
  expect(findViolations(all, allowed)).toEqual([]);
});

describe('the entry point of the client', () => {
  const source = readFileSync('nodes/client/index.ts', 'utf8');
  const methods = [...source.matchAll(/readonly (\w+) = \{\n([^}]*)\}/g)].flatMap(([, resource, body]) =>
    [...body!.matchAll(/(\w+): bind\(this, (\w+)\)/g)].map(([, name, method]) => ({
      name: `${resource}.${name}`,
      method: method!,
    })),
  );
  const files = listFiles(CLIENT).map((file) => readFileSync(file, 'utf8'));
  const outside = listFiles('nodes')
    .filter((file) => !file.startsWith(CLIENT))
    .map((file) => readFileSync(file, 'utf8'));

  test('has all of its methods here', () => {
    expect(methods).toHaveLength(source.match(/: bind\(/g)!.length);
    expect(methods.length).toBeGreaterThan(10);
  });

  test.each(methods)('$name is called by the adapter or by a node', ({ name }) => {
    const [resource, method] = name.split('.') as [string, string];
    // `const { imports } = item.client; imports.start(…)` is a call too.
    const call = new RegExp(`(client|\\b)\\.?\\b${resource}\\s*\\.${method}\\(`);
    expect(outside.some((text) => call.test(text))).toBe(true);
  });

  test.each(methods)('$name has a comment with @example and @throws', ({ method }) => {
    const declared = new RegExp(
      `/\\*\\*((?:(?!\\*/)[^])*)\\*/\\nexport (?:async )?(?:function|const) ${method}\\b`,
    );
    const comments = files.flatMap((text) => declared.exec(text)?.[1] ?? []);
    expect(comments).toHaveLength(1);
    expect(comments[0]).toContain('@example');
    expect(comments[0]).toContain('@throws');
  });

  test.each(methods)('outside of the client, $method is called as a method of the client', ({ method }) => {
    const imported = new RegExp(`import [^;]*\\b${method}\\b[^;]* from '[^']*client/`);
    expect(outside.filter((text) => imported.test(text))).toEqual([]);
  });
});

/** The shipped files that each shipped file imports. */
const shippedImports = new Map(
  [...listFiles('nodes'), ...listFiles('credentials')].map((file): [string, string[]] => [
    file,
    findImports(file)
      .map((target) => (existsSync(`${target}/index.ts`) ? `${target}/index.ts` : `${target}.ts`))
      .filter((target) => existsSync(target)),
  ]),
);

test('no files import each other in a circle', () => {
  const open = new Map(shippedImports);
  // Removes the files whose imports are all removed. A circle is left.
  for (let removed = true; removed;) {
    removed = false;
    for (const [file, targets] of open) {
      if (targets.some((target) => open.has(target))) continue;
      open.delete(file);
      removed = true;
    }
  }
  expect([...open.keys()]).toEqual([]);
});

test('no two folders import each other', () => {
  const arrows = new Set(
    [...shippedImports].flatMap(([file, targets]) =>
      targets.map((target) => `${dirname(file)} > ${dirname(target)}`),
    ),
  );
  const twoWay = [...arrows].filter((arrow) => {
    const [from, to] = arrow.split(' > ') as [string, string];
    return from < to && arrows.has(`${to} > ${from}`);
  });
  expect(twoWay).toEqual([]);
});

test('what outlives a call is kept by client/memory, which registers it', () => {
  // A class may have such values as its own: they end with its object.
  const isKept = (line: string) =>
    /^(export )?let /.test(line) ||
    /^(export )?const [^=]*= new (Map|Set|WeakMap|WeakSet|WeakRef|KeyedQueue|RequestCache|Semaphore)\b[^(]*\((\{|\)|[A-Z_]+\))/.test(
      line,
    ) ||
    /\bnew (WeakMap|WeakSet|WeakRef)\b/.test(line) ||
    /^ {2}(private |public )?static (?!readonly|async|\w+\()/.test(line);
  const found = listFiles('nodes')
    .filter((file) => file !== 'nodes/client/memory/memory.ts')
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter(isKept)
        .map((line) => `${file}: ${line}`),
    );
  expect(found).toEqual([]);
});

test('the embedded service shares nothing with the nodes', () => {
  const allowed = (target: string) => !/^(nodes|credentials|dist)\b/.test(target);
  expect(findViolations(listFiles('test/service'), allowed)).toEqual([]);
});

test("only the port and the test of the credential call n8n's http helper", () => {
  const callers = [...listFiles('nodes'), ...listFiles('credentials')].filter((file) =>
    /helpers\s*\.\s*(httpRequest|request)/.test(readFileSync(file, 'utf8')),
  );
  expect(callers.sort()).toEqual(['nodes/n8n/http/port.ts', 'nodes/n8n/http/testCredential.ts']);
});

test('only one file contains an item loop', () => {
  const loops = listFiles('nodes').filter((file) => /continueOnFail\(/.test(readFileSync(file, 'utf8')));
  expect(loops).toEqual(['nodes/n8n/operation/runItems.ts']);
});

test('a type name is declared once', () => {
  const names = [...listFiles('nodes'), ...listFiles('credentials')].flatMap((file) =>
    [
      ...readFileSync(file, 'utf8').matchAll(/^(?:export )?(?:abstract )?(?:interface|type|class) (\w+)/gm),
    ].map(([, name]) => name!),
  );
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
