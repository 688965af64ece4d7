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
