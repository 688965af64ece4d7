import { Hook, isSameToken, leadsTo, leadsToPath, tokenIn } from '../../../nodes/RecordDatabaseTrigger/hook';
import { hook, identity, row, URL_HERE } from './identity';

describe('tokens', () => {
  test('differ by every part of the identity, by table and by event', () => {
    const others = Object.keys(identity)
      .filter((key) => key === 'instanceId' || key === 'node' || key === 'appSecret')
      .map((key) => new Hook({ ...identity, [key]: 'other' }).token('t1', 'INSERT'));
    const tokens = [
      hook.token('t1', 'INSERT'),
      hook.token('t2', 'INSERT'),
      hook.token('t1', 'UPDATE'),
      ...others,
    ];
    expect(new Set(tokens).size).toBe(6);
    expect(new Hook({ ...identity }).token('t1', 'INSERT')).toBe(tokens[0]);
  });

  test('are the same in every release: subscriptions of an older one are still known', () => {
    expect(hook.token('t1', 'INSERT')).toBe('sYo6WZP77lCfc5Mfcei4s8WpE_yvYP1Etn-MhPdAezM');
    expect(hook.owner).toBe('f57ec27724f4afe5');
  });

  test('the notes in the static data belong to this n8n, node, service and application', () => {
    const owners = ['instanceId', 'node', 'baseUrl', 'appId'].map(
      (key) => new Hook({ ...identity, [key]: 'other' }).owner,
    );
    expect(new Set([...owners, hook.owner]).size).toBe(5);
    expect(new Hook({ ...identity, appSecret: 'renewed' }).owner).toBe(hook.owner);
  });

  test('table and event cannot run into each other', () => {
    expect(hook.token('a', 'b,c')).not.toBe(hook.token('a,b', 'c'));
  });

  test('without an App Secret none is right', () => {
    const open = new Hook({ ...identity, appSecret: '' });
    expect(open.isToken(open.token('t1', 'INSERT'), 't1', 'INSERT')).toBe(false);
  });

  test.each([
    ['a', 'a', true],
    ['a', 'b', false],
    ['', undefined, false],
    [undefined, undefined, true],
  ])('%p and %p: %p', (a, b, same) => expect(isSameToken(a, b)).toBe(same));

  test('are read from an address as the service may spell it', () => {
    expect(tokenIn('HTTPS://N8N.example/x?a=1&token=abc')).toBe('abc');
    expect(tokenIn('https://n8n.example/x')).toBeUndefined();
    expect(tokenIn('nowhere')).toBeUndefined();
    expect(leadsTo('HTTPS://N8N.example/x//?token=abc', 'https://n8n.example/x')).toBe(true);
    expect(leadsTo('https://n8n.example/x/y', 'https://n8n.example/x')).toBe(false);
    expect(leadsTo('https://other.example/x', 'https://n8n.example/x')).toBe(false);
    expect(leadsToPath('https://n8n.example/prefix/webhook/w1/webhook?t', '/webhook/w1/webhook//')).toBe(
      true,
    );
    expect(leadsToPath('https://n8n.example/webhook-test/w1/webhook', '/webhook/w1/webhook')).toBe(false);
  });
});

describe('of the listed subscriptions its own are', () => {
  const token = hook.token('t1', 'INSERT');
  const EARLIER = 'https://old.example/a/webhook';
  const owns = (hookUrl: string, webhookUrl = URL_HERE) => hook.owns(row({ hookUrl }), webhookUrl, [EARLIER]);

  test.each([
    ['at its address, whatever the token', `${URL_HERE}?token=x`, true],
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

  test('none by an address of n8n that is none', () => {
    expect(owns('nowhere', 'nowhere')).toBe(false);
    expect(owns(`${URL_HERE}?token=${token}`, 'nowhere')).toBe(false);
    expect(owns(EARLIER, 'nowhere')).toBe(true);
  });
});
