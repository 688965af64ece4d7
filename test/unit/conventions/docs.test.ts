/* eslint-disable @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import { RecordDatabaseApi } from '../../../credentials/RecordDatabaseApi.credentials';
import { scripts } from '../../../package.json';
import { listExamples } from '../../examples';
import { loadActionNodes } from '../../operations';
import { PROFILES } from '../../service/profiles';
import { READINGS } from '../../service/readings';
import { SETTLED, type Silence, SILENCES } from '../../silences';
import { forms, getRows } from './forms';

const readme = readFileSync('README.md', 'utf8');
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CODE_OF_CONDUCT.md',
  'examples/README.md',
  ...['environment', 'harness', 'service'].map((folder) => `test/${folder}/README.md`),
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** The comments of shipped code, each on one line. */
const listComments = (): Array<{ file: string; text: string }> =>
  readdirSync('nodes', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((file) =>
      [
        ...readFileSync(join('nodes', file), 'utf8').matchAll(/\/\*\*?.*?\*\/|(?:^[ \t]*\/\/[^\n]*\n)+/gms),
      ].map(([text]) => ({
        file,
        text: text.replace(/\s*\n\s*(\*|\/\/)?\s*/g, ' '),
      })),
    );

test('a comment that the documentation leaves something open names its row (test/silences.ts)', () => {
  const isOpen =
    /\b(spec|documentation)\b[^.;]{0,80}?\b(does not|do not|defines no|names no|mentions)\b|\bnot shown\b/i;
  // A door repeats the first sentence of the comment at the definition.
  const open = listComments().filter(({ file, text }) => !file.endsWith('index.ts') && isOpen.test(text));
  expect(open.length).toBeGreaterThan(20);
  expect(open.filter(({ text }) => !/See silences.md: `\w+`/.test(text))).toEqual([]);
});

test('each open point that a comment names has a row, and the code of each row exists', () => {
  const named = listComments().flatMap(({ text }) =>
    [...text.matchAll(/See silences.md: `(\w+)`/g)].map(([, name]) => name!),
  );
  expect(named.filter((name) => !(name in SILENCES))).toEqual([]);
  const rows: Silence[] = Object.values(SILENCES);
  expect(rows.map(({ code }) => code).filter((code) => !existsSync(join('nodes', code)))).toEqual([]);
});

test('each reading of the embedded service belongs to a point (test/silences.ts)', () => {
  const rows = [...Object.values<Silence>(SILENCES), ...Object.values(SETTLED)];
  const listed = new Set<string>(rows.flatMap((row) => ('readings' in row ? row.readings : [])));
  expect(Object.keys(READINGS).filter((name) => !listed.has(name))).toEqual([]);
});

test('each option of the profile `met` belongs to a point (test/silences.ts)', () => {
  const listed = new Set<string>([
    ...Object.values<Silence>(SILENCES).flatMap(({ met }) => met?.options ?? []),
    ...Object.values(SETTLED).flatMap(({ options }) => options),
  ]);
  expect(Object.keys(PROFILES.met).filter((name) => !listed.has(name))).toEqual([]);
});

test('each open point is varied by a reading or by the profile, or says why no test varies it', () => {
  const rows: Array<[string, Silence]> = Object.entries(SILENCES);
  const bare = rows.filter(([, row]) => {
    const varied = [...('readings' in row ? row.readings : []), ...(row.met?.options ?? [])];
    return varied.length === 0 && !('unvaried' in row && row.unvaried);
  });
  expect(bare.map(([name]) => name)).toEqual([]);
});

test('the first picture of the README is animated, and has less than 3 MB in each color scheme', () => {
  const [light, dark] = ['light', 'dark'].map((scheme) => `docs/images/first-records-${scheme}.webp`);
  expect(readme.slice(0, readme.indexOf('</picture>'))).toContain(light);
  for (const path of [light!, dark!]) {
    const file = readFileSync(path);
    // A WebP file has a chunk ANMF for each frame.
    expect(file.toString('latin1').split('ANMF').length).toBeGreaterThan(10);
    expect(file.length).toBeLessThan(3_000_000);
  }
});

test('the README has at most 150 lines', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});

/** Lines that a user meets: the README and the pages in docs/ that are not written by `npm run docs`. */
const MAXIMUM_LINES = 1_300;

test('the README and the pages for users are short', () => {
  const userMeets = pages.filter(
    (page) => /^(README|docs\/[\w-]+)\.md$/.test(page) && page !== 'docs/operations.md',
  );
  const lines = userMeets.map((page) => readFileSync(page, 'utf8').trimEnd().split('\n').length);
  expect(userMeets.length).toBeGreaterThan(8);
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(MAXIMUM_LINES);
});

const workflows = readdirSync('.github/workflows').map((name) => `.github/workflows/${name}`);

test.each([...pages, ...workflows, '.ci/run'])('every command that %s names exists', (page) => {
  const named = [...readFileSync(page, 'utf8').matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name!);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

const EXAMPLE_PICTURES = 'docs/images/examples';

test('each example has a small picture on its page (SCREENSHOTS=docs/images npm run test:e2e -- browser)', () => {
  const page = readFileSync('examples/README.md', 'utf8');
  const pictures = readdirSync(EXAMPLE_PICTURES).sort();
  expect(pictures).toEqual(listExamples().map((name) => `${name}.webp`));
  expect(pictures.filter((name) => !page.includes(`](../${EXAMPLE_PICTURES}/${name})`))).toEqual([]);
  expect(pictures.filter((name) => statSync(join(EXAMPLE_PICTURES, name)).size > 40_000)).toEqual([]);
});

test.each(pages)('every file that %s links to exists', (page) => {
  const text = readFileSync(page, 'utf8');
  const targets = [
    ...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g),
    ...text.matchAll(/src(?:set)?="([^"]+)"/g),
  ];
  const missing = targets
    .map(([, target]) => target!)
    .filter((target) => !existsSync(join(dirname(page), target)));
  expect(missing).toEqual([]);
});

const sources = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n');
const fileNames = new Set(sources.map((path) => basename(path)));

/** Folders to which the paths of a page may be relative. A name without a folder is that of any source file. */
const CODE_FOLDERS = ['', 'nodes', 'nodes/n8n', 'test'];

test.each(pages)('every source file that %s names exists', (page) => {
  const spans = [...readFileSync(page, 'utf8').matchAll(/`([\w./-]+)`/g)].map(([, text]) => text!);
  const paths = spans.filter((text) =>
    /^(nodes|test|scripts|credentials|examples|docs|icons|bench)\/|\.(ts|mjs|js)$/.test(text),
  );
  const missing = paths.filter((path) => {
    const isAt = (folder: string) => existsSync(join(folder, path));
    return !fileNames.has(path) && ![...CODE_FOLDERS, dirname(page)].some(isAt);
  });
  expect(missing.filter((path) => !path.includes('node_modules'))).toEqual([]);
});

test('the architecture shows the way of a value, and what to touch, by paths that exist', () => {
  const page = readFileSync('docs/development/architecture.md', 'utf8');
  const sections = page.split(/^## /m).filter((text) => /^(The way of a value|What to touch)/.test(text));
  expect(sections).toHaveLength(2);
  const paths = [...sections.join('').matchAll(/`((?:nodes|test)\/[\w./]+)`/g)].map(([, path]) => path!);
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});

test.each([
  ['`records/` or `service/`', ['service', 'records']],
  ['`n8n/`', ['n8n']],
])('docs/development/architecture.md names each folder of %s', (title, parts) => {
  const [, table = ''] =
    new RegExp(`^\\| folder of ${title} .*\\n((?:\\|.*\\n)+)`, 'm').exec(
      readFileSync('docs/development/architecture.md', 'utf8'),
    ) ?? [];
  const named = [...table.matchAll(/^\|([^|]+)\|/gm)].flatMap(
    ([, cell = '']) => cell.match(/(?<=`)\w+(?=`)/g) ?? [],
  );
  const folders = parts
    .flatMap((part) => readdirSync(join('nodes', part), { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(named.sort()).toEqual(folders.sort());
});

/** The anchors that GitHub makes of the headings of a page. */
const listAnchors = (page: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

test.each(pages)('every heading that %s links to exists', (page) => {
  const links = [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)];
  const missing = links.flatMap(([, target = '', anchor = '']) => {
    const anchors = listAnchors(target === '' ? page : join(dirname(page), target));
    return anchors.includes(anchor) ? [] : [`${target}#${anchor}`];
  });
  expect(missing).toEqual([]);
});

const resources = loadActionNodes().flatMap((node) => node.resources);

/** The labels of an input, of its choices and of the inputs in it, without what n8n adds to the label of a list. */
const listLabels = (field: INodeProperties): string[] => [
  field.displayName.replace(/ Names? or IDs?$/, '').replace(/ \([^)]+\)$/, ''),
  ...((field.options ?? []) as Array<{ name?: string }>).map(({ name = '' }) => name),
  ...(field.modes ?? []).map(({ displayName }) => displayName),
  ...getRows(field).flatMap((row) => row.flatMap(listLabels)),
];

const credentialInputs = new RecordDatabaseApi().properties;

/** Words in italics that are no labels of ours: those of n8n, operators, and names of nodes, examples and fields in them. */
const OTHER_WORDS = new Set(
  `Actions|AI Agent|Always Output Data|Approve|At Specified Time|Authentication|Batching|Bites|City|Continue|Continue (using error output)|Created At|
Create Record|Credential Type|Customer|Data Table|Decline|Edit Fields|Every Minute|Execute Once|Execute step|Executions|Expression|
First Contact|From file|Human review|Import from File|Is|Is Any Of|Map Automatically|Map Each Column Manually|MCP Server|MCP Server Trigger|
Merge|Migration Report|Never miss a change|On Error|On record created|Poll Times|Postgres|Predefined Credential Type|Proxy|Record Database API|Respond|Resume|Retry|
Retry On Fail|Save Execution Progress|Security|Set Manually|Shipped At|Tool|Tool Description|Triggers|Users|What It Means|
When Last Node Finishes`
    .replaceAll('\n', '')
    .split('|'),
);

/** The first cells of the tables that describe inputs. */
const listFirstCells = (text: string): string[] =>
  Array.from(
    text.matchAll(/^\| (?:[Pp]arameter|Setting|Field) +\|.*\n\|[-| ]+\n((?:\|.*\n)*)/gm),
    ([, rows = '']) => rows.split('\n').flatMap((row) => row.split('|')[1]?.trim() ?? []),
  ).flat();

// Pages for developers name menus of other programs.
const userPages = pages.filter((page) => !/^(CO|test)|architecture/.test(page));

test.each(userPages)('every label that %s names exists', (page) => {
  const labels = [
    ...[...forms.flatMap(({ fields }) => fields), ...credentialInputs].flatMap(listLabels),
    ...resources.flatMap(({ displayName, operations }) => [
      displayName,
      ...operations.flatMap((one) => [one.displayName, one.action]),
    ]),
    // The label of a choice may have a comma: "Look Up, Create Missing".
  ].flatMap((label) => [label, ...label.split(', ')]);
  const known = new Set([...labels, ...OTHER_WORDS].map((label) => label.toLowerCase()));
  const isKnown = (label: string) =>
    known.has(label.replace(/ Names? or IDs?$| \([^)]+\)$/, '').toLowerCase());
  const text = readFileSync(page, 'utf8').replace(/```[\s\S]*?```|`[^`]*`/g, '');
  const named = Array.from(text.matchAll(/(?<![\w*[])_([A-Z][^_]{1,60})_(?!\w)/g), ([, label]) =>
    label!.replace(/\s+/g, ' '),
  );
  named.push(...listFirstCells(text));
  const missing = named.filter((label) => !isKnown(label) && !label.split(/ → |: |, /).every(isKnown));
  expect(missing).toEqual([]);
});

test.each(pages)('%s names only settings as advanced that the credential shows there', (page) => {
  const isAdvanced = ({ displayOptions }: INodeProperties) => displayOptions?.show?.advancedSettings;
  const others = credentialInputs.filter((input) => !isAdvanced(input) && input.name !== 'advancedSettings');
  const blocks = readFileSync(page, 'utf8').split(/\n\n|\n(?=- )/);
  const wrong = blocks.filter(
    (block) =>
      block.includes('Advanced Settings') &&
      others.some(({ displayName }) => block.includes(`_${displayName}_`)),
  );
  expect(wrong).toEqual([]);
});

test('README.md and docs/development/publishing.md count the resources and operations', () => {
  const count = resources.reduce((sum, { operations }) => sum + operations.length, 0);
  const page = readFileSync('docs/development/publishing.md', 'utf8');
  expect(page).toContain(`${resources.length} resources with ${count} operations`);
  expect(readme).toContain(`All ${count} operations`);
});

/** Entries of n8n's menus, which have the form of an operation: `Import → From file`. */
const MENU_ENTRIES = ['From file'];

test.each(pages)('every operation that %s names exists', (page) => {
  const named = [...readFileSync(page, 'utf8').matchAll(/_([A-Z][A-Za-z/ ]+) → ([A-Z][A-Za-z/ ]+)_/g)];
  const missing = named.flatMap(([text, name, operation = '']) => {
    const same = resources.filter(({ displayName }) => displayName === name);
    const operations = same.flatMap(({ operations: list }) => list.map(({ displayName }) => displayName));
    const isKnown = same.length === 0 || [...operations, ...MENU_ENTRIES].includes(operation);
    return isKnown ? [] : [text];
  });
  expect(missing).toEqual([]);
});

test.each(['', 'n8n-1.123/'])(
  'docs/compatibility.md names the n8n version that test/e2e/%s installs',
  (folder) => {
    const { dependencies } = JSON.parse(readFileSync(`test/e2e/${folder}package.json`, 'utf8')) as {
      dependencies: { n8n: string };
    };
    expect(readFileSync('docs/compatibility.md', 'utf8')).toContain(`| ${dependencies.n8n} `);
  },
);

/** The rows of the index of examples: the name in the link, its file, and what the example needs. */
const index = [
  ...readFileSync('examples/README.md', 'utf8').matchAll(
    /^\| \[`([\w-]+)`\]\(([\w.-]+)\) *\| [^|]+ \|([^|]+)\|$/gm,
  ),
].map(([, name = '', file = '', needs = '']) => ({ name, file, needs }));

const examples = readdirSync('examples').filter((name) => name.endsWith('.json'));

interface TableLocator {
  __rl: true;
  mode: string;
  value: string;
  cachedResultName?: string;
}

/** The names of the tables that an example works on: picked from the list, or given by name. */
function listTableNames(file: string): string[] {
  const names = new Set<string>();
  JSON.parse(readFileSync(join('examples', file), 'utf8'), (key, value: unknown) => {
    const { mode, value: given = '', cachedResultName } = (value ?? {}) as Partial<TableLocator>;
    const name = mode === 'name' ? given : (cachedResultName ?? '');
    if (key === 'dataTableId' && name && !name.startsWith('=')) names.add(name);
    return value;
  });
  return [...names];
}

test('the index of examples has each example once, in the order of their names', () => {
  expect(index.map(({ file }) => file)).toEqual([...examples].sort());
  expect(index.filter(({ name, file }) => file !== `${name}.json`)).toEqual([]);
});

test('the index of examples names each table that an example needs', () => {
  const missing = index.flatMap(({ name, file, needs }) =>
    listTableNames(file).flatMap((table) => (needs.includes(table) ? [] : [`${name}: ${table}`])),
  );
  expect(missing).toEqual([]);
});

test('every example has a sticky note that explains it', () => {
  const withoutNote = examples.filter((name) => {
    const { nodes } = JSON.parse(readFileSync(join('examples', name), 'utf8')) as {
      nodes: Array<{ type: string }>;
    };
    return !nodes.some(({ type }) => type === 'n8n-nodes-base.stickyNote');
  });
  expect(withoutNote).toEqual([]);
});

/** Pixels of a node on the canvas, with a part of its name below it. */
const NODE_SIZE = 100;

/** Names of nodes that a note of the example covers. */
function listCovered(file: string): string[] {
  const { nodes } = JSON.parse(readFileSync(join('examples', file), 'utf8')) as {
    nodes: Array<{
      name: string;
      type: string;
      position: [number, number];
      parameters: { width?: number; height?: number };
    }>;
  };
  const isNote = ({ type }: { type: string }) => type === 'n8n-nodes-base.stickyNote';
  return nodes.filter(isNote).flatMap(({ position: [left, top], parameters: { width = 0, height = 0 } }) =>
    nodes
      .filter((node) => !isNote(node))
      .filter(({ position: [x, y] }) => x < left + width && x + NODE_SIZE > left && y < top + height)
      .filter(({ position: [, y] }) => y + NODE_SIZE > top)
      .map(({ name }) => `${file}: ${name}`),
  );
}

test('no sticky note covers a node', () => {
  expect(examples.length).toBeGreaterThan(20);
  expect(examples.flatMap(listCovered)).toEqual([]);
});

test('each job of the cookbook has an example', () => {
  const jobs = readFileSync('docs/cookbook.md', 'utf8')
    .split(/^## /m)
    .filter((section) => /^\d+\. /.test(section));
  expect(jobs.length).toBeGreaterThanOrEqual(10);
  expect(jobs.filter((job) => !/\]\(\.\.\/examples\/[\w-]+\.json\)/.test(job))).toEqual([]);
});

test('docs/development/evidence.md has each point that a comment cites', () => {
  const points = [...readFileSync('docs/development/evidence.md', 'utf8').matchAll(/^(\d+)\. /gm)].map(
    ([, point]) => point!,
  );
  const cited = sources
    .filter((path) => /^(nodes|credentials)\/.*\.ts$/.test(path) && existsSync(path))
    .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/\(evidence ([\d, and]+)/g)])
    .flatMap(([, numbers = '']) => numbers.match(/\d+/g) ?? [])
    .concat(Object.values(SETTLED).map(({ evidence }) => String(evidence)));
  expect(cited).not.toEqual([]);
  expect(cited.filter((point) => !points.includes(point))).toEqual([]);
});
