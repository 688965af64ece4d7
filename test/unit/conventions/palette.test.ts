import { listOperations, loadActionNodes } from '../../operations';

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

test('records come first, and the batch operations after those of one record', () => {
  const [records] = loadActionNodes().find(({ folder }) => folder === 'RecordDatabase')!.resources;
  const names = records!.operations.map(({ name }) => name);
  expect(records!.name).toBe('record');
  expect(names.slice(0, 5)).toEqual(['getAll', 'get', 'create', 'upsert', 'update']);
  expect(names.indexOf('batchUpdate')).toBeGreaterThan(names.indexOf('delete'));
});
