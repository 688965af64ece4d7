import { omit, omitBy } from 'lodash';
import { chainNodes, createNode } from '../../harness';
import { scaleSize } from '../../randomness';
import type { ServiceOptions } from '../../service';
import { chosenProfile } from '../../service/profiles';
import { START, TYPE, toLocator } from '../support/testEnvironment';
import { useFreshTestEnvironment } from '../support/useTestEnvironment';
import { createTriggerWorkflow } from './support';

/** An item has the form of Get Many: its keys in the same order and its values of the same types, after `_event`. */

/** What the service gives a record by itself. */
const NUMBERED = ['id', 'auto_increment', 'auto_increment_field', 'id_field'];

const SERVICES: Array<Partial<ServiceOptions>> = [
  {},
  { profile: 'met' },
  { profile: 'met', deliveryForm: 'flatJson' },
  { deliveryFields: 'saved' },
  { deliveryForm: 'flatForm' },
];

describe.each(SERVICES.slice(0, scaleSize(3, 5)))('%j', (options) => {
  const env = useFreshTestEnvironment(options);

  async function getMany(tableId: string, id: string) {
    const parameters = {
      resource: 'record',
      operation: 'getAll',
      dataTableId: toLocator(tableId),
      returnAll: true,
    };
    const run = await env.engine.run(chainNodes(START, createNode('Node', TYPE, parameters)));
    return run.getJson('Node').find((item) => item.id === id)!;
  }

  test.each([{}, { options: { fullRecord: false } }])('with %j', async (parameters) => {
    const customers = env.getTable('Customers');
    const trigger = await env.engine.activate(
      createTriggerWorkflow(env, ['Customers'], ['INSERT', 'DELETE'], parameters),
    );
    const { id } = customers.insert({
      credit_limit: 12.5,
      newsletter: 1,
      company: 'Lamp',
      tags: ['vip'],
      name: { first_name: 'Ada', last_name: 'Lovelace' },
      status: 'lead',
      email: 'ada@example.com',
      account_owner: [env.service.users[0]!.id],
    });
    await env.service.waitForDeliveries();
    await trigger.waitForExecutions(1);
    const expected = await getMany(customers.id, id);
    customers.delete(id);
    await env.service.waitForDeliveries();
    const runs = await trigger.waitUntilIdle();
    const items = runs.map((run) => run.getJson('Trigger')[0]!);
    expect(items.map(({ _event }) => _event)).toEqual(['INSERT', 'DELETE']);
    for (const record of items.map((item) => omit(item, '_event', '_table'))) {
      const keys = Object.keys(record);
      expect(keys).toEqual(Object.keys(expected).filter((key) => keys.includes(key)));
      // A form has texts alone: it does not tell null from an empty text.
      expect(expected).toMatchObject(omitBy(omit(record, 'auto_increment'), (value) => value === ''));
      expect(keys).toEqual(
        expect.arrayContaining(['id', 'company', 'tags', 'credit_limit', 'newsletter', 'account_owner']),
      );
    }
    for (const item of items) expect(Object.keys(item).slice(0, 3)).toEqual(['_event', '_table', 'id']);
  });

  test.each(['', 'https://files.example/contract.pdf'])(
    'with a value in every field and the file "%s", the item equals that of Get Many',
    async (file) => {
      const showcase = env.getTable('Showcase');
      const trigger = await env.engine.activate(createTriggerWorkflow(env, ['Showcase'], ['INSERT']));
      const [first] = showcase.records.values();
      const { id } = showcase.insert({ ...omit(first, NUMBERED), file, unique_text: 'of its own' });
      await env.service.waitForDeliveries();
      const [run] = await trigger.waitForExecutions(1);
      const record = omit(run!.getJson('Trigger')[0]!, '_event', '_table');
      const expected = await getMany(showcase.id, id);
      const isMet = (options.profile ?? chosenProfile) === 'met';
      // What was met delivers what was saved; as a form, also the numbers within files and pictures are texts.
      const left = [
        ...(isMet ? ['created_at', ...NUMBERED.slice(1)] : []),
        ...(isMet && options.deliveryForm !== 'flatJson' ? ['files', 'image'] : []),
      ];
      expect(omit(record, left)).toEqual(omit(expected, left));
      expect(Object.keys(omit(record, left))).toEqual(Object.keys(omit(expected, left)));
      expect(record).toMatchObject({ user: expect.any(String), user_id: expect.any(String) });
    },
  );
});
