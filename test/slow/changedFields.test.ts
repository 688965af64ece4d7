/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { readFileSync } from 'node:fs';
import { createRecordWorkflow, pollOnce } from '../engine/polling/support';
import { TestEnvironment } from '../engine/support/testEnvironment';

/** With how many filled fields the state of the polling trigger has room for the hash of each: docs/polling-trigger.md. */

const page = readFileSync('docs/polling-trigger.md', 'utf8');
const [, many, few] = /more than (\d+) filled fields with 5,000 records, (\d+) with 1,000/.exec(page)!;

let env: TestEnvironment;
beforeEach(async () => (env = await TestEnvironment.start({ sample: 'empty' })));
afterEach(() => env.stop());

test.each([
  [5_000, Number(many), true],
  [5_000, Number(many) + 1, false],
  [1_000, Number(few), true],
  [1_000, Number(few) + 1, false],
])('%d records with %d filled fields: an update names its field: %p', async (records, fields, isNamed) => {
  const slugs = Array.from({ length: fields }, (_, index) => `f${index}`);
  const table = env.service.addTable({
    name: 'Wide',
    fields: slugs.map((name) => ({ name, type: 'Text' })),
  });
  const rows = Array.from({ length: records }, () =>
    table.insert(Object.fromEntries(slugs.map((slug) => [slug, 'filled']))),
  );
  const trigger = await env.engine.activate(
    createRecordWorkflow(table, { triggerOn: 'recordCreatedUpdatedOrDeleted' }),
  );
  table.update(rows[0]!.id, { f0: 'changed' });
  const [item] = (await pollOnce(trigger))!;
  expect(item!._changedFields).toEqual(isNamed ? ['f0'] : null);
  await trigger.deactivate();
});
