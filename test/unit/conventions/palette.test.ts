/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { runInNewContext } from 'node:vm';
import { RecordDatabasePollingTrigger } from '../../../nodes/RecordDatabasePollingTrigger/RecordDatabasePollingTrigger.node';
import { RecordDatabaseTrigger } from '../../../nodes/RecordDatabaseTrigger/RecordDatabaseTrigger.node';
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
  expect(names.slice(0, 5)).toEqual(['getAll', 'get', 'create', 'upsert', 'update']);
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
