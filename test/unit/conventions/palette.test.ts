/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { runInNewContext } from 'node:vm';
import { RecordDatabasePollingTrigger } from '../../../nodes/RecordDatabasePollingTrigger/RecordDatabasePollingTrigger.node';
import { RecordDatabaseTrigger } from '../../../nodes/RecordDatabaseTrigger/RecordDatabaseTrigger.node';
import { n8n } from '../../../package.json';
import { listOperations, loadActionNodes } from '../../operations';
import { forms } from './forms';

test('names of actions contain no articles', () => {
  const withArticle = listOperations().filter(({ action }) => /\b(a|an|the)\b/i.test(action));
  expect(withArticle.map(({ action }) => action)).toEqual([]);
});

test('the form lists resources and operations in the declared order', () => {
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
      expect([name, getNames(name)]).toEqual([name, operations.map((one) => one.name)]);
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
      return { properties: { displayName: displayNames.get(name)!, codex } };
    });
}

const [RECORDS, FILES, PDF, LOGS, TASKS, USERS, PAGES, POLLING] = [
  'Record Database',
  'Record Database Import/Export',
  'Record Database PDF',
  'Record Database Logs',
  'Record Database Tasks',
  'Record Database Users',
  'Record Database Pages',
  'Record Database Polling Trigger',
];

/** What people search for, by the node that they need. Among it are the names of operations that were joined with others. */
const SEARCHES: Record<string, string[]> = {
  [RECORDS!]: [
    ...[
      'record created',
      'record updated',
      'record deleted',
      'new record',
      'row added',
      'when record changes',
    ],
    ...[
      'webhook',
      'webhook subscribe',
      'find record',
      'get rows',
      'get record',
      'list records',
      'search',
      'query',
      'lookup',
      'vlookup',
      'enrich',
      'exists',
    ],
    ...[
      'add row',
      'insert',
      'create record',
      'edit record',
      'update record',
      'remove record',
      'delete record',
    ],
    ...[
      'bulk',
      'delete many',
      'sync',
      'merge',
      'upsert',
      'count',
      'attachment',
      'upload file',
      'backup',
      'restore',
    ],
    ...[
      'undo',
      'tables',
      'no-code database',
      'formula',
      'recalculate table',
      'recalculate field',
      'permission',
    ],
    ...['api key', 'filter records', 'batch update', 'describe table', 'schema', 'list fields'],
  ],
  [FILES!]: [
    'excel',
    'import csv',
    'csv',
    'export records',
    'import status',
    'export queue',
    'import queue',
    'download export',
  ],
  [PDF!]: ['generate pdf', 'create pdf', 'pdf', 'invoice'],
  [LOGS!]: [
    ...[
      'audit',
      'login history',
      'failed logins',
      'page views',
      'blocked',
      'blocked ips',
      'blocked users',
      'email log',
    ],
    ...['builder activities', 'sessions', 'logs'],
  ],
  [TASKS!]: [
    ...[
      'background job',
      'automation',
      'run task',
      'run automation',
      'queue',
      'history',
      'terminate',
      'stop task',
    ],
    ...['active executions', 'terminate execution'],
  ],
  [USERS!]: ['log in', 'login', 'log out', 'magic link', 'roles', 'auto-login', 'user token'],
  [PAGES!]: ['pages', 'component', 'layout', 'child pages', 'component records'],
  [POLLING!]: ['poll', 'polling', 'new log entry', 'without webhook'],
};

test.each(Object.entries(SEARCHES).flatMap(([node, texts]) => texts.map((text) => [text, node])))(
  'the search "%s" finds %s first',
  (text, node) => {
    const found = sublimeSearch(text!, listPaletteEntries());
    expect(found[0]?.item.properties.displayName).toBe(node);
    // No other node has the same score.
    expect(found[0]!.score).toBeGreaterThan(found[1]?.score ?? -Infinity);
  },
);
