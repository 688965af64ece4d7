import { useFreshTestEnvironment } from '../support/useTestEnvironment';
import { createTriggerWorkflow } from './support';

/** A field of the filter that is renamed while the trigger still has the fields in its memory. */

const env = useFreshTestEnvironment();

test.each(['is not', 'is blank'])(
  'a filter with "%s" does not start for a record without its field',
  async (operator) => {
    const customers = env.getTable('Customers');
    const trigger = await env.engine.activate(
      createTriggerWorkflow(env, ['Customers'], ['INSERT'], {
        filterMode: 'manual',
        conditions: { items: [{ field: 'company|text', operator, value: 'Mill' }] },
      }),
    );
    customers.insert({ company: 'Mill' });
    await env.service.waitForDeliveries();
    expect(await trigger.waitUntilIdle()).toHaveLength(0);
    Object.assign(
      customers.fields.find(({ slug }) => slug === 'company')!,
      { slug: 'firm', name: 'Firm' },
    );
    customers.insert({ company: 'Mill' });
    await env.service.waitForDeliveries();
    const started = (await trigger.waitUntilIdle()).filter(({ error }) => error === undefined);
    await trigger.kill();
    env.takeViolations();
    expect(started.map((run) => run.getJson('Trigger'))).toEqual([]);
  },
);

test.each(['renamed', 'deleted'])('a watched field that was %s is an error of each update', async (fate) => {
  const customers = env.getTable('Customers');
  const trigger = await env.engine.activate(
    createTriggerWorkflow(env, ['Customers'], ['INSERT', 'UPDATE'], { changedFields: ['company'] }),
  );
  const { id } = customers.insert({ company: 'Mill' });
  await env.service.waitForDeliveries();
  await trigger.waitUntilIdle();
  const field = customers.fields.find(({ slug }) => slug === 'company')!;
  if (fate === 'renamed') Object.assign(field, { slug: 'firm', name: 'Firm' });
  else customers.fields.splice(customers.fields.indexOf(field), 1);
  // The fields are kept for an hour.
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + 2 * 3_600_000);
  customers.update(id, { status: 'active' });
  await env.service.waitForDeliveries();
  customers.insert({ status: 'lead' });
  await env.service.waitForDeliveries();
  const errors = (await trigger.waitUntilIdle()).map(({ error }) => error?.message);
  jest.restoreAllMocks();
  await trigger.kill();
  env.takeViolations();
  expect(errors).toEqual([
    undefined,
    expect.stringMatching(/^Watched Fields: the table has no field "company"/),
    undefined,
  ]);
});
