import { loadActionNodes } from '../../operations';
import { OUTPUTS } from '../../outputs';

const operations = loadActionNodes().flatMap(({ folder, resources }) =>
  resources.flatMap((resource) =>
    resource.operations.map(({ name, action }) => ({ name: `${folder} ${resource.name} ${name}`, action })),
  ),
);

test('an operation that reads records or logs has a schema', () => {
  const names =
    /^(get|getAll|search|create|upsert) record|^Get (many )?(records|[\w ]*(logins|views|emails))/i;
  const missing = operations.filter(({ name, action }) => names.test(action) && !(name in OUTPUTS));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

test('each schema belongs to an operation', () => {
  const known = new Set(operations.map(({ name }) => name));
  expect(Object.keys(OUTPUTS).filter((name) => !known.has(name))).toEqual([]);
});
