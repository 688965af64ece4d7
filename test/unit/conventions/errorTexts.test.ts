/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Rules for the texts of errors and hints: a message says what happened, a description what to do. */

/** Stands for a value in a text. */
const VALUE = '…';

/** The texts that an expression can have, with `VALUE` for each value. None for an expression without a literal. */
function listTexts(node: ts.Node): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node))
    return [node.head.text + node.templateSpans.map(({ literal }) => VALUE + literal.text).join('')];
  if (ts.isConditionalExpression(node)) return [...listTexts(node.whenTrue), ...listTexts(node.whenFalse)];
  return ts.isParenthesizedExpression(node) ? listTexts(node.expression) : [];
}

interface ErrorText {
  where: string;
  text: string;
}

const messages: ErrorText[] = [];
const descriptions: ErrorText[] = [];
const hints: ErrorText[] = [];

/** Notes the texts of `new InputError(message, remedy)` and of objects with `message` and `description`. */
function collectTexts(node: ts.Node, file: string): void {
  const note = (list: ErrorText[], value: ts.Node | undefined) =>
    list.push(...(value ? listTexts(value) : []).filter(Boolean).map((text) => ({ where: file, text })));
  if (ts.isNewExpression(node) && node.expression.getText() === 'InputError') {
    note(messages, node.arguments?.[0]);
    note(descriptions, node.arguments?.[1]);
  }
  if (ts.isObjectLiteralExpression(node)) {
    const find = (key: string) =>
      node.properties.filter(ts.isPropertyAssignment).find(({ name }) => name.getText() === key)?.initializer;
    const isArgument =
      (ts.isCallExpression(node.parent) && node.parent.expression.getText() !== 'createInput') ||
      ts.isNewExpression(node.parent);
    if (find('message') || (isArgument && !find('displayName') && !find('action'))) {
      note(messages, find('message'));
      note(descriptions, find('description'));
    }
  }
  if (ts.isCallExpression(node) && /(add|show)Hint$/.test(node.expression.getText()))
    note(hints, node.arguments[0]);
  ts.forEachChild(node, (child) => collectTexts(child, file));
}

const root = join(__dirname, '..', '..', '..', 'nodes');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
for (const file of files.filter((name) => /(?<!\.node)\.ts$/.test(name))) {
  const source = readFileSync(join(root, file), 'utf8');
  collectTexts(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true), file);
}

const findBroken = (texts: ErrorText[], isBroken: (text: string) => boolean) =>
  texts.filter(({ text }) => isBroken(text)).map(({ where, text }) => `${where}: ${text}`);

test('there are texts to check', () => {
  expect(messages.length).toBeGreaterThan(150);
  expect(descriptions.length).toBeGreaterThan(150);
});

test('a message begins with a capital, a name or a value, and has no period at its end', () => {
  expect(findBroken(messages, (text) => !/^["A-Z…{]|^n8n /.test(text) || /[.!:,]$/.test(text))).toEqual([]);
});

test('a description is one or more whole sentences', () => {
  expect(findBroken(descriptions, (text) => !/^["A-Z…{]|^n8n /.test(text) || !/[.…]$/.test(text))).toEqual(
    [],
  );
});

const all = [...messages, ...descriptions];

test('a text has single spaces, and none at its ends', () => {
  expect(findBroken(all, (text) => / {2}|^ | $/.test(text))).toEqual([]);
});

test('a text neither blames nor apologizes', () => {
  expect(findBroken(all, (text) => /\b(please|sorry|oops|unfortunately|illegal|forgot|bad|stupid)\b|!/i.test(text.replaceAll('!=', '')))).toEqual([]); // prettier-ignore
});

test('a text has no words of programmers', () => {
  const jargon =
    /\b(payload|endpoint|boolean|regex|enum|schema|strings?|encoded|pars(?:e|ed|ing)|serialized|dialect|stateless|invalidated?)\b/i;
  expect(findBroken([...all, ...hints], (text) => jargon.test(text))).toEqual([]);
});

test('a table has fields; only a file has columns', () => {
  const ofFiles = [
    'Two values of the item belong to the column "…"',
    /^No row was imported\. Compare the headings of the file/,
  ];
  const isOfFile = (text: string) =>
    ofFiles.some((known) => (typeof known === 'string' ? known === text : known.test(text)));
  expect(findBroken([...all, ...hints], (text) => /\bcolumns?\b/i.test(text) && !isOfFile(text))).toEqual([]);
});

test('a text names no value or identifier of the code', () => {
  const IDENTIFIER = /\b(undefined|NaN|[a-z]+[A-Z]\w*|TypeError|zod|axios)\b|\[object/;
  const inQuotes = /"[^"]*"|_\w+/g;
  expect(findBroken(all, (text) => IDENTIFIER.test(text.replace(inQuotes, '')))).toEqual([]);
});

// A change of a text is then read with its neighbors. `npx jest test/unit/conventions/errorTexts -u` writes the list.
test('the list of all texts is up to date', () => {
  const list = (texts: ErrorText[]) => [...new Set(texts.map(({ text }) => text))].sort().join('\n');
  const sections = [
    ['Messages: what happened', messages],
    ['Descriptions: what to do', descriptions],
    ['Hints', hints],
  ] as const;
  expect(sections.map(([title, texts]) => `# ${title}\n\n${list(texts)}`).join('\n\n')).toMatchSnapshot();
});

/** Explains errors, each after its message in code quotes. */
const PAGE = 'docs/troubleshooting.md';

/** Values, names in braces and several values in a row are one value on the page. */
const normalize = (text: string): string => text.replace(/\{\w+\}/g, VALUE).replace(/…+/g, VALUE);

test('each error that the page of errors explains is one of the nodes', () => {
  const page = readFileSync(join(root, '..', PAGE), 'utf8');
  const headings = [...page.matchAll(/^- \*\*`(.+)`\*\*:/gm)].map(([, text = '']) => normalize(text));
  const known = new Set(messages.map(({ text }) => normalize(text)));
  expect(headings.length).toBeGreaterThanOrEqual(20);
  expect(headings.filter((text) => !known.has(text))).toEqual([]);
});

/** The longest part of a text without values and placeholders, by which a test may name it. */
const findKnownPart = (text: string): string =>
  text
    .split(/…|\{\w+\}/)
    .reduce((longest, part) => (part.length > longest.length ? part : longest))
    .trim();

const WORDS = 4;

test('a test names the message of each error and each hint', () => {
  const folder = join(root, '..', 'test');
  const tests = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(
      (file) => file.endsWith('.ts') && !file.includes('node_modules') && join(folder, file) !== __filename,
    )
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
  // A test may name a part of a message: WORDS words in a row are enough.
  const isNamed = (text: string) => {
    const words = findKnownPart(text).split(' ');
    const starts = words.slice(0, Math.max(1, words.length - WORDS + 1));
    return starts.some((_, at) => tests.includes(words.slice(at, at + WORDS).join(' ')));
  };
  expect(hints.length).toBeGreaterThan(10);
  const unnamed = [...messages, ...hints].map(({ text }) => text).filter((text) => !isNamed(text));
  expect(unnamed).toEqual([]);
});
