import { skipWaits } from '../../environment/skipWaits';
import { AUTO_MAP, getOutput, toLocator } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

/**
 * An answer to a create that lacks a field (renamed, or hidden from the user), whose fields cannot be read again: the record
 * exists, and the error does not say that it does not.
 */

skipWaits();
const env = useTestEnvironment({ sample: 'empty', createAnswer: 'item' });
let count = 0;

test.each([
  ['create', 500],
  ['create', 403],
  ['upsert', 500],
])('%s, and %i for the fields: the error names the record that was created', async (operation, status) => {
  const table = env.service.addTable({
    name: `Jobs ${++count}`,
    fields: ['Key', 'Note'].map((name) => ({ name, type: 'Text' as const })),
  });
  getOutput(await env.runRecordOperation('getAll', table, { limit: 1 }));
  Object.assign(
    table.fields.find(({ slug }) => slug === 'note')!,
    { slug: 'remark', name: 'Remark' },
  );
  env.service.faults.add({
    times: Infinity,
    when: { pattern: /full-fields-info/ },
    fault: { type: 'status', status, body: { type: 'error', msg: 'Permission Denied', status } },
  });
  const { error } = await env.withSettings({ parallelRequests: 1 }, () =>
    env.run(
      {
        resource: 'record',
        operation,
        dataTableId: toLocator(table.id),
        columns: { ...AUTO_MAP, matchingColumns: ['key'] },
      },
      ['a', 'b', 'c'].map((key) => ({ key, note: 'new' })),
    ),
  );
  env.takeViolations();
  const [first] = table.records.keys();
  expect(table.records.size).toBeGreaterThan(0);
  const { message = '', description = '' } = (error ?? {}) as { message?: string; description?: string };
  expect(description).not.toMatch(/None of the 3 items was/);
  expect(error ? `${message} ${description}` : first).toContain(first);
});
