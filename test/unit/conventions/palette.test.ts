/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { runInNewContext } from 'node:vm';
import { camelCase, sortBy } from 'lodash';
import { RecordDatabasePollingTrigger } from '../../../nodes/RecordDatabasePollingTrigger/RecordDatabasePollingTrigger.node';
import { RecordDatabaseTrigger } from '../../../nodes/RecordDatabaseTrigger/RecordDatabaseTrigger.node';
import { n8n } from '../../../package.json';
import { listOperations, loadActionNodes } from '../../operations';
import { forms } from './forms';
import palettePhrases from './palettePhrases.json';

test('names of actions contain no articles', () => {
  const withArticle = listOperations().filter(({ action }) => /\b(a|an|the)\b/i.test(action));
  expect(withArticle.map(({ action }) => action)).toEqual([]);
});

test('the form lists resources in the declared order, and operations by their names', () => {
  for (const { folder, properties, resources } of loadActionNodes()) {
    const getNames = (resource?: string) =>
      properties
        .find(
          ({ name, displayOptions }) =>
            name === (resource ? 'operation' : 'resource') &&
            (!resource || displayOptions?.show?.resource?.includes(resource)),
        )!
        .options!.map((one) => (one as { value?: unknown }).value);
    expect([folder, getNames()]).toEqual([folder, resources.map(({ name }) => name)]);
    for (const { name, operations } of resources) {
      const sorted = sortBy(operations, 'displayName').map((one) => one.name);
      expect([name, getNames(name)]).toEqual([name, sorted]);
    }
  }
});

test('records come first, and the batch operations after those of one record (a new operation: after Update in record/index.ts)', () => {
  const [records] = loadActionNodes().find(({ folder }) => folder === 'RecordDatabase')!.resources;
  const names = records!.operations.map(({ name }) => name);
  expect(records!.name).toBe('record');
  expect(names.slice(0, 6)).toEqual(['getAll', 'get', 'create', 'upsert', 'lookUp', 'update']);
  expect(names.indexOf('batchUpdate')).toBeGreaterThan(names.indexOf('delete'));
});

test('the text below a node is the action of the palette', () => {
  for (const { folder, description, resources } of loadActionNodes()) {
    const [, object] = /^=\{\{ \((\{.*\})\)\[/.exec(String(description.subtitle)) ?? [];
    const actions = resources.flatMap(({ name, operations }) =>
      operations.map((one) => [`${name} ${one.name}`, one.action]),
    );
    expect([folder, JSON.parse(String(object))]).toEqual([folder, Object.fromEntries(actions)]);
  }
});

test.each<[object, string]>([
  [{ events: ['INSERT', 'UPDATE', 'DELETE'] }, 'record created, updated, deleted'],
  [{ events: ['UPDATE'] }, 'record updated'],
  [{ triggerOn: 'recordCreated' }, 'record created'],
  [{ triggerOn: 'recordCreatedOrUpdated' }, 'record created or updated'],
  [{ triggerOn: 'recordCreatedUpdatedOrDeleted' }, 'record created, updated or deleted'],
  [{ triggerOn: 'logEntryAdded' }, 'log entry added'],
])('the text below a trigger with %j is "%s"', ($parameter, text) => {
  const trigger = 'events' in $parameter ? new RecordDatabaseTrigger() : new RecordDatabasePollingTrigger();
  const expression = /^=\{\{(.*)\}\}$/.exec(String(trigger.description.subtitle))![1]!;
  expect(runInNewContext(expression, { $parameter })).toBe(text);
});

test('a record is picked after its table: its list would be empty before', () => {
  const early = forms.filter(({ fields }) =>
    fields.some(
      ({ name, required, displayOptions }) =>
        name === 'recordId' &&
        required === true &&
        fields.some((one) => one.name === 'dataTableId' && one.required === true) &&
        displayOptions?.hide?.dataTableId === undefined,
    ),
  );
  expect(early.map(({ at }) => at)).toEqual([]);
});

/** What n8n's palette ranks its entries with. Its types are those of an ES module, which no CommonJS module may import. */
// eslint-disable-next-line @typescript-eslint/no-require-imports
const { sublimeSearch } = require('@n8n/utils/search/sublime-search') as {
  sublimeSearch<Item>(text: string, items: Item[]): Array<{ score: number; item: Item }>;
};

/** What the palette searches in for a node: its name, and the aliases of its `.node.json`. */
interface PaletteEntry {
  name: string;
  properties: { displayName: string; codex: { alias: string[] } };
}

/**
 * The entries of the palette. n8n 2.41 shows a trigger within the action node of the same name, without the trigger's own
 * name and aliases (`generateMergedNodesAndActions` in its editor).
 */
function listPaletteEntries(): PaletteEntry[] {
  const names = n8n.nodes.map((file) => basename(file, '.node.js'));
  const displayNames = new Map(loadActionNodes().map(({ folder, displayName }) => [folder, displayName]));
  displayNames.set(
    'RecordDatabasePollingTrigger',
    new RecordDatabasePollingTrigger().description.displayName,
  );
  return names
    .filter((name) => !names.includes(name.replace('Trigger', '')) || !name.endsWith('Trigger'))
    .map((name) => {
      const codex = JSON.parse(readFileSync(`nodes/${name}/${name}.node.json`, 'utf8')) as {
        alias: string[];
      };
      return { name: camelCase(name), properties: { displayName: displayNames.get(name)!, codex } };
    });
}

/**
 * What people type, and the nodes that answer it. Two people who know the jobs and had seen neither forms nor aliases wrote
 * the list, so an alias is never copied from it: a verb or a noun that is missing is added for all of its kind.
 */
const phrases: Array<{ phrase: string; nodes: string[] }> = palettePhrases;

/** The display names of the nodes that answer a phrase. */
const listRight = (nodes: string[]): string[] =>
  listPaletteEntries()
    .filter(({ name }) => nodes.some((node) => [node, node.replace('Trigger', '')].includes(name)))
    .map(({ properties }) => properties.displayName);

test('of 277 phrases of users, at least 260 find the right node, and none finds a wrong one first', () => {
  const entries = listPaletteEntries();
  const found = phrases.map(({ phrase, nodes }) => {
    // As n8n does before it searches.
    const text = phrase.toLowerCase().replace('trigger', '').trimEnd();
    const first = sublimeSearch(text, entries)[0]?.item.properties.displayName;
    return { phrase, first, isRight: first !== undefined && listRight(nodes).includes(first) };
  });
  expect(phrases).toHaveLength(277);
  expect(found.filter(({ first, isRight }) => first !== undefined && !isRight)).toEqual([]);
  expect(found.filter(({ isRight }) => isRight).length).toBeGreaterThanOrEqual(260);
});
