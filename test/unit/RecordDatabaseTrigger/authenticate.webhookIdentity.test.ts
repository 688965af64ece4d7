import type { IHookFunctions } from 'n8n-workflow';
import {
  WebhookIdentity,
  readIdentityAndData,
  matchesWebhookUrl,
  readUrlToken,
} from '../../../nodes/RecordDatabaseTrigger/authenticate';
import { InputError } from '../../../nodes/service';
import { WEBHOOK_URL, createSubscription, identity, webhookIdentity } from './identity';

describe('tokens', () => {
  test('depend on every part of the identity, on the table and on the event', () => {
    const others = Object.keys(identity)
      .filter((key) => key === 'instanceId' || key === 'nodeKey' || key === 'appSecret')
      .map((key) => new WebhookIdentity({ ...identity, [key]: 'other' }).computeToken('t1', 'INSERT'));
    const tokens = [
      webhookIdentity.computeToken('t1', 'INSERT'),
      webhookIdentity.computeToken('t2', 'INSERT'),
      webhookIdentity.computeToken('t1', 'UPDATE'),
      ...others,
    ];
    expect(new Set(tokens).size).toBe(6);
    expect(new WebhookIdentity({ ...identity }).computeToken('t1', 'INSERT')).toBe(tokens[0]);
  });

  test('are the same in every release, so that subscriptions of older releases stay valid', () => {
    expect(webhookIdentity.computeToken('t1', 'INSERT')).toBe('sYo6WZP77lCfc5Mfcei4s8WpE_yvYP1Etn-MhPdAezM');
    expect(webhookIdentity.staticDataOwnerId).toBe('f57ec27724f4afe5');
  });

  test('the static data belongs to one n8n, node, service and application', () => {
    const owners = ['instanceId', 'nodeKey', 'baseUrl', 'appId'].map(
      (key) => new WebhookIdentity({ ...identity, [key]: 'other' }).staticDataOwnerId,
    );
    expect(new Set([...owners, webhookIdentity.staticDataOwnerId]).size).toBe(5);
    expect(new WebhookIdentity({ ...identity, appSecret: 'renewed' }).staticDataOwnerId).toBe(
      webhookIdentity.staticDataOwnerId,
    );
  });

  test('differ if the same characters are split differently between table and event', () => {
    expect(webhookIdentity.computeToken('a', 'b,c')).not.toBe(webhookIdentity.computeToken('a,b', 'c'));
  });

  test('are never valid without an App Secret', () => {
    const open = new WebhookIdentity({ ...identity, appSecret: '' });
    expect(open.isValidToken(open.computeToken('t1', 'INSERT'), 't1', 'INSERT')).toBe(false);
  });

  test('are read from an address in each notation that the service may use', () => {
    expect(readUrlToken('HTTPS://N8N.example/x?a=1&token=abc')).toBe('abc');
    expect(readUrlToken('https://n8n.example/x')).toBeUndefined();
    expect(readUrlToken('nowhere')).toBeUndefined();
    expect(matchesWebhookUrl('HTTPS://N8N.example/x//?token=abc', 'https://n8n.example/x')).toBe(true);
    expect(matchesWebhookUrl('https://n8n.example/x/y', 'https://n8n.example/x')).toBe(false);
    expect(matchesWebhookUrl('https://other.example/x', 'https://n8n.example/x')).toBe(false);
  });
});

describe('finds its own subscriptions in the list:', () => {
  const token = webhookIdentity.computeToken('t1', 'INSERT');
  const EARLIER = 'https://old.example/a/webhook';
  const owns = (hookUrl: string, webhookUrl = WEBHOOK_URL) =>
    webhookIdentity.ownsSubscription(createSubscription({ hookUrl }), webhookUrl, [EARLIER]);

  test.each([
    ['at its address, whatever the token', `${WEBHOOK_URL}?token=x`, true],
    ['at its address, spelt otherwise', 'HTTPS://N8N.example:443/webhook/w1/webhook/', true],
    ['at an address that it had', `${EARLIER}?token=x`, true],
    [
      'on another host, at its path, with its token',
      `https://b.example/webhook/w1/webhook?token=${token}`,
      true,
    ],
    ['on another host, at its path, without a token', 'https://b.example/webhook/w1/webhook', false],
    [
      'on another host, at its path, with a wrong token',
      'https://b.example/webhook/w1/webhook?token=x',
      false,
    ],
    ['at another path, with its token', `https://n8n.example/webhook/w2/webhook?token=${token}`, false],
    ['at no address', 'nowhere', false],
    ['at an empty address', '', false],
  ])('those %s: %s %p', (_where, hookUrl, isOwn) => expect(owns(hookUrl)).toBe(isOwn));

  test('none if the address of n8n is not valid', () => {
    expect(owns('nowhere', 'nowhere')).toBe(false);
    expect(owns(`${WEBHOOK_URL}?token=${token}`, 'nowhere')).toBe(false);
    expect(owns(EARLIER, 'nowhere')).toBe(true);
  });
});

describe('the node in n8n', () => {
  const createContext = (webhookId?: string) =>
    ({
      getNode: () => ({ webhookId, id: 'node1' }),
      getWorkflow: () => ({ id: 7 }),
      getInstanceId: () => identity.instanceId,
      getWorkflowStaticData: () => ({}),
    }) as unknown as IHookFunctions;

  test('has an identity of n8n, node and credential', () => {
    const { baseUrl, appId, appSecret } = identity;
    const { identity: created } = readIdentityAndData(createContext('w1'), {
      baseUrl,
      appId,
      appSecret,
    });
    expect(created).toEqual(new WebhookIdentity({ ...identity, nodeKey: '7/w1' }));
    const { identity: other } = readIdentityAndData(createContext(), { baseUrl, appId, appSecret });
    expect(other).toEqual(new WebhookIdentity({ ...identity, nodeKey: '7/node1' }));
  });

  test('has no identity without an App Secret', () => {
    const description =
      'Open the Record Database API credential and give the App Secret. The trigger needs it to recognize the deliveries of the service.';
    const create = () => readIdentityAndData(createContext('w1'), { ...identity, appSecret: '' } as never);
    expect(create).toThrow(new InputError('The credential has no App Secret', description));
    expect(create).toThrow(expect.objectContaining({ description }));
  });
});
