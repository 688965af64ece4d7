import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { readIdentityAndData } from '../../../nodes/RecordDatabaseTrigger/authenticate';
import { parseCredential } from '../../../nodes/service';
import type { Service, Table } from '../../service';
import { PublishedTrigger, useTasks } from './publishing';

/** Publishing and unpublishing over HTTP, without n8n: what is subscribed, stored and refused. */
const SUBSCRIBE = 'POST /api/v1/web-hooks/subscribe';
const MOVED = 'http://127.0.0.1:2/webhook/hook1/webhook';

let service: Service;
let tasks: Table;
let people: Table;

const env = useTasks();
beforeEach(() => ({ service, tasks, people } = env));

const createTrigger = (parameters: object = {}) =>
  new PublishedTrigger(service, { tables: [tasks.id], ...parameters });

const filterOwner = (value: unknown) => ({
  filterMode: 'json',
  filterJson: JSON.stringify([{ field_id: 'owner', operator: 'is', val: value }]),
});

const countSubscribeRequests = () =>
  service.requests.filter(({ method, path }) => `${method} ${path}` === SUBSCRIBE).length;

/** Subscriptions as `type host`. */
const listHosts = () => service.subscriptions.map(({ type, hookUrl }) => `${type} ${new URL(hookUrl).host}`);

const refuseSubscriptions = () =>
  service.faults.add({ when: { pattern: SUBSCRIBE }, times: 9, fault: { type: 'status', status: 403 } });

describe('publishing', () => {
  test('stores what a delivery and unpublishing need', async () => {
    const trigger = createTrigger({ events: ['INSERT', 'UPDATE'], options: { columns: ['Title'] } });
    expect(await trigger.publish()).toBe(true);
    const { identity } = readIdentityAndData(trigger.context, parseCredential(trigger.credential as never));
    expect(trigger.data).toMatchObject({
      owner: identity.staticDataOwnerId,
      ids: service.subscriptions.map(({ id }) => id),
      tables: [tasks.id],
      addresses: [trigger.webhookUrl],
      tokens: [expect.stringMatching(/^[\w-]{43}$/), expect.stringMatching(/^[\w-]{43}$/)],
    });
    expect(await trigger.checkExists()).toBe(true);
  });

  test('is needed again if a subscription is gone, or the address of n8n is another', async () => {
    const trigger = createTrigger({ events: ['INSERT', 'UPDATE'] });
    expect(await trigger.checkExists()).toBe(false);
    await trigger.publish();
    trigger.webhookUrl = MOVED;
    expect(await trigger.checkExists()).toBe(false);
    await trigger.publish();
    expect(listHosts()).toEqual(['INSERT 127.0.0.1:2', 'UPDATE 127.0.0.1:2']);
    service.subscriptions.splice(0, 1);
    expect(await trigger.checkExists()).toBe(false);
  });

  test('replaces a subscription with a wrong token', async () => {
    const trigger = createTrigger();
    await trigger.publish();
    const [subscription] = service.subscriptions;
    const { hookUrl } = subscription!;
    subscription!.hookUrl = hookUrl.replace(/token=.*/, 'token=wrong');
    expect(await trigger.checkExists()).toBe(false);
    await trigger.publish();
    expect(service.subscriptions.map((one) => one.hookUrl)).toEqual([hookUrl]);
  });

  test('that fails removes what it has created, also if the list cannot be read any more', async () => {
    service.faults.add({ when: { pattern: SUBSCRIBE, skip: 1 }, fault: { type: 'status', status: 403 } });
    service.faults.add({
      when: { pattern: 'GET /api/v1/web-hooks/list', skip: 2 },
      times: 9,
      fault: { type: 'status', status: 403 },
    });
    await expect(createTrigger({ events: ['INSERT', 'UPDATE'] }).publish()).rejects.toThrow(
      'could not be created',
    );
    expect(countSubscribeRequests()).toBe(2);
    expect(service.subscriptions).toEqual([]);
  });

  test('with a key that may not look up the names of a filter is refused', async () => {
    people.insert({ full: 'Ada' });
    const trigger = createTrigger(filterOwner('Ada'));
    Object.assign(trigger.credential, service.addKey({ permissions: { allow_get: false } }));
    await expect(trigger.publish()).rejects.toBeInstanceOf(NodeApiError);
    expect(countSubscribeRequests()).toBe(0);
  });

  test('that fails leaves the addresses and tables of before, so that unpublishing finds all', async () => {
    const trigger = createTrigger();
    await trigger.publish();
    const { webhookUrl } = trigger;
    trigger.webhookUrl = MOVED;
    trigger.parameters.tables = [people.id];
    refuseSubscriptions();
    await expect(trigger.publish()).rejects.toThrow(
      'The webhook for "Record Updated" in table "People" could not be created',
    );
    expect(trigger.data).toMatchObject({ addresses: [webhookUrl, MOVED], tables: [tasks.id, people.id] });
    service.faults.clear();
    await trigger.unpublish();
    expect(service.subscriptions).toEqual([]);
  });

  test('ignores and replaces the static data of another n8n, whose subscriptions stay', async () => {
    const original = createTrigger();
    await original.publish();
    const kept = structuredClone(service.subscriptions);
    const copy = createTrigger();
    Object.assign(copy, { instanceId: 'other-n8n', webhookUrl: MOVED, data: structuredClone(original.data) });
    await copy.unpublish();
    expect(service.subscriptions).toEqual(kept);
    await copy.publish();
    expect(listHosts()).toEqual(['UPDATE 127.0.0.1:1', 'UPDATE 127.0.0.1:2']);
    expect(copy.data.addresses).toEqual([MOVED]);
    await copy.unpublish();
    expect(service.subscriptions).toEqual(kept);
  });

  test.each([
    [{ tables: [] }, 'No table is chosen'],
    [{ events: [] }, 'No event is chosen'],
    [{ events: ['UPDATE', 'UPSERT'] }, 'Events cannot be "UPSERT"'],
    [{ options: { columns: ['nothing'] } }, 'no field "nothing"'],
    [{ changedFields: ['nothing'] }, 'no field "nothing"'],
    [{ startBy: 'mail' }, 'Start By cannot be "mail"'],
    [filterOwner('Nobody'), 'Nobody'],
    [{ filterMode: 'manual', conditions: {} }, 'The filter has no condition'],
    [{ filterMode: 'json', filterJson: '[]' }, 'The filter has no condition'],
  ])('refuses %j before it subscribes', async (parameters, message) => {
    const trigger = createTrigger(parameters);
    await expect(trigger.publish()).rejects.toThrow(message);
    await expect(trigger.publish()).rejects.toBeInstanceOf(NodeOperationError);
    expect(countSubscribeRequests()).toBe(0);
  });

  test('accepts a field that only another chosen table has', async () => {
    const trigger = createTrigger({ tables: [tasks.id, people.id], options: { columns: ['full', 'title'] } });
    expect(await trigger.publish()).toBe(true);
  });

  test.each([undefined, 'nowhere'])('needs an address of n8n, which is %p', async (webhookUrl) => {
    const trigger = createTrigger();
    trigger.webhookUrl = webhookUrl;
    await expect(trigger.publish()).rejects.toThrow('n8n has no address for this trigger');
  });

  test('a refusal of the service is an error of the node', async () => {
    refuseSubscriptions();
    const failure = await createTrigger()
      .publish()
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NodeApiError);
    expect(failure).toHaveProperty('message', expect.stringContaining('in table "Tasks" could not'));
  });

  test('on a service that drops the token is an error that names the way out', async () => {
    service.options.hookQuery = 'dropped';
    const failure = await createTrigger()
      .publish()
      .catch((error: unknown) => error);
    const message = /does not list the subscriptions.* choose "Address to Paste" under "Start By"/;
    expect(failure).toMatchObject({ message: expect.stringMatching(message) as string });
    expect(service.subscriptions).toEqual([]);
  });
});

describe('an address to paste', () => {
  const PASTED = { startBy: 'address' };
  const paste = (trigger: PublishedTrigger) => {
    const hookUrl = String(trigger.webhookUrl);
    const pasted = {
      id: 'pasted',
      data_table_id: tasks.id,
      type: 'UPDATE' as const,
      hookUrl,
      platform: 'n8n',
    };
    service.subscriptions.push(pasted);
    return pasted;
  };
  const listWebhookRequests = () => service.requests.filter(({ path }) => path.includes('web-hooks'));

  test('is published and unpublished without a request for subscriptions; the form is checked', async () => {
    const trigger = createTrigger({ ...PASTED, options: { columns: ['title'] } });
    const pasted = paste(trigger);
    expect(await trigger.checkExists()).toBe(false);
    expect(await trigger.publish()).toBe(true);
    expect(await trigger.unpublish()).toBe(true);
    expect(listWebhookRequests()).toEqual([]);
    expect(service.subscriptions).toEqual([pasted]);
    const wrong = createTrigger({ ...PASTED, options: { columns: ['nothing'] } });
    await expect(wrong.publish()).rejects.toThrow('no field "nothing"');
  });

  test.each([{ events: ['INSERT', 'UPDATE'] }, { tables: ['t1', 't2'] }])(
    'is for one table and one event: %j',
    async (parameters) => {
      const failure = createTrigger({ ...PASTED, ...parameters }).publish();
      // n8n shows the message alone.
      const message = '"Address to Paste" takes one table and one event. Choose one of each.';
      await expect(failure).rejects.toThrow(message);
      await expect(failure).rejects.toBeInstanceOf(NodeOperationError);
    },
  );

  test('removes the subscriptions that are left of the time before, and keeps the pasted address', async () => {
    const trigger = createTrigger();
    await trigger.publish();
    trigger.parameters.startBy = 'address';
    const pasted = paste(trigger);
    await trigger.publish();
    expect(service.subscriptions).toEqual([pasted]);
    expect(trigger.data).toMatchObject({ ids: [], addresses: [], tokens: [] });
  });
});

describe('unpublishing', () => {
  test('works with a form that cannot be read, and empties the static data', async () => {
    const trigger = createTrigger();
    await trigger.publish();
    trigger.parameters.tables = new Error('no such node');
    expect(await trigger.unpublish()).toBe(true);
    expect(service.subscriptions).toEqual([]);
    expect(trigger.data).toMatchObject({ ids: [], tables: [], addresses: [], tokens: [] });
  });

  test('that fails is an error of the node, and keeps the static data', async () => {
    const trigger = createTrigger();
    await trigger.publish();
    const before = structuredClone(trigger.data);
    service.faults.add({
      when: { pattern: 'DELETE /api/v1/web-hooks/unsubscribe' },
      fault: { type: 'status', status: 403 },
    });
    await expect(trigger.unpublish()).rejects.toBeInstanceOf(NodeApiError);
    expect(trigger.data).toEqual(before);
  });
});
