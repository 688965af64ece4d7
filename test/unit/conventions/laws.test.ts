/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** `docs/development/architecture.md`: imports run one way, from the nodes to the adapter, the records and the protocol. */
const listFiles = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    // An installation of n8n has 100,000 files.
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : listFiles(path);
    return path.endsWith('.ts') ? path : [];
  });

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

const SERVICE = 'nodes/service/';
const RECORDS = 'nodes/records/';
const ADAPTER = 'nodes/n8n/';

/** The entries of the two floors. Nothing else of a floor is imported from outside. */
const DOORS = ['nodes/service', 'nodes/records'];

/** Packages that the floors may import. They know nothing of n8n. */
const FLOOR_PACKAGES = ['luxon', 'zod', 'lodash', 'node:crypto'];

/** What a new name needs is a call that says more: lower these numbers, do not raise them. */
const MOST_NAMES: Record<string, number> = { 'nodes/service': 96, 'nodes/records': 83 };

const isAtDoor = (target: string) => DOORS.includes(target);
const isOnFloor = isInside(SERVICE, RECORDS);

test('the floor of the protocol imports only itself and the packages that it may use', () => {
  const allowed = (target: string) => isInside(SERVICE)(target) || FLOOR_PACKAGES.includes(target);
  expect(findViolations(listFiles(SERVICE), allowed)).toEqual([]);
});

test('the floor of the records imports itself, and the protocol by its door', () => {
  const allowed = (target: string) =>
    target === 'nodes/service' || isInside(RECORDS)(target) || FLOOR_PACKAGES.includes(target);
  expect(findViolations(listFiles(RECORDS), allowed)).toEqual([]);
});

test('the adapter imports the floors by their doors, never a node', () => {
  const allowed = (target: string) =>
    !target.startsWith('nodes/') || isAtDoor(target) || isInside(ADAPTER)(target);
  expect(findViolations(listFiles(ADAPTER), allowed)).toEqual([]);
});

test('node folders enter the floors by their doors, and never import each other', () => {
  const folders = readdirSync('nodes').filter((name) => name.startsWith('RecordDatabase'));
  const all = folders.flatMap((folder) => listFiles(`nodes/${folder}`));
  const allowed = (target: string, file: string) =>
    !target.startsWith('nodes/') ||
    isAtDoor(target) ||
    isInside(ADAPTER, file.split('/').slice(0, 2).join('/'))(target);
  expect(folders).toHaveLength(9);
  expect(findViolations(all, allowed)).toEqual([]);
});

test('only the unit tests of a floor import its files', () => {
  const isUnitTest = isInside('test/unit/service/', 'test/unit/records/');
  const outside = ['credentials', 'test', 'scripts', 'bench']
    .flatMap(listFiles)
    .filter((file) => !isUnitTest(file));
  expect(findViolations(outside, (target) => !isOnFloor(target) || isAtDoor(target))).toEqual([]);
});

describe.each(DOORS)('the door of %s', (door) => {
  const source = readFileSync(`${door}/index.ts`, 'utf8').replace(/\/\*[^]*?\*\//g, '');
  const names = [...source.matchAll(/export (?:type )?\{([^}]*)\}/g)]
    .flatMap(([, list]) => list!.replace(/\/\*.*?\*\//g, '').split(','))
    .map((name) => name.replace(/\btype\b/, '').trim())
    .filter(Boolean);
  const outside = ['nodes', 'credentials', 'test', 'scripts', 'bench']
    .flatMap(listFiles)
    .filter((file) => !file.startsWith(`${door}/`))
    .map((file) => readFileSync(file, 'utf8'));
  const files = listFiles(door).map((file) => readFileSync(file, 'utf8'));

  test('has no name that nobody outside uses, and no more names than it had', () => {
    expect(names.length).toBeGreaterThan(50);
    expect(names.length).toBeLessThanOrEqual(MOST_NAMES[door]!);
    expect(names.filter((name) => !outside.some((text) => new RegExp(`\\b${name}\\b`).test(text)))).toEqual(
      [],
    );
  });

  test('leads to functions with their signature: nothing is bound, and what takes a client has a comment', () => {
    expect(files.filter((text) => /\bbind\(this/.test(text))).toEqual([]);
    const bare = names.filter((name) => {
      const declared = new RegExp(
        `(\\*/\\n)?export (?:async )?(?:function|const) ${name}\\b[^(]*\\(\\s*(?:client|\\{[^}]*\\}): Client\\b`,
      );
      const found = files.map((text) => declared.exec(text)).find(Boolean);
      return found && found[1] === undefined;
    });
    expect(bare).toEqual([]);
  });

  test('has examples that call the functions of the door: a client has no members such as `client.records.read`', () => {
    const examples = files.flatMap((text) => text.match(/^ \* .*\bclient\.(?!clock\b)\w+\.\w+\(.*$/gm) ?? []);
    expect(examples).toEqual([]);
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

test('what outlives a call is kept by service/memory, which registers it', () => {
  // A class may have such values as its own: they end with its object.
  const isKept = (line: string) =>
    /^(export )?let /.test(line) ||
    /^(export )?const [^=]*= new (Map|Set|WeakMap|WeakSet|WeakRef|KeyedQueue|RequestCache|Semaphore)\b[^(]*\((\{|\)|[A-Z_]+\))/.test(
      line,
    ) ||
    /^(?! {2}private readonly ).*\bnew (WeakMap|WeakSet|WeakRef)\b/.test(line) ||
    /^ {2}(private |public )?static (?!readonly|async|\w+\()/.test(line);
  const found = listFiles('nodes')
    .filter((file) => file !== 'nodes/service/memory/memory.ts')
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

test("only the port calls n8n's http helper", () => {
  const callers = [...listFiles('nodes'), ...listFiles('credentials')].filter((file) =>
    /helpers\s*\.\s*(httpRequest|request)/.test(readFileSync(file, 'utf8')),
  );
  expect(callers).toEqual(['nodes/n8n/http/port.ts']);
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
