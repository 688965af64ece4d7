/* eslint-disable @n8n/community-nodes/no-deprecated-workflow-functions -- the HTTP Request node uses the older helper */
import type { IExecuteFunctions, INodeProperties, INodeType } from 'n8n-workflow';
import { chainNodes, createNode } from '../../harness';
import { coreNodes } from '../../harness/coreNodes';
import { describeNode } from '../../harness/coreNodes/describeNode';
import { START, TestEnvironment } from '../support/testEnvironment';

/** Other nodes send requests with our credential through two helpers of n8n. Both send the keys to the service alone. */

const CREDENTIAL = 'recordDatabaseApi';

const defineText = (name: string): INodeProperties => ({
  displayName: name,
  name,
  type: 'string',
  default: '',
});

/**
 * Sends a GET as other nodes do. `request` is the helper of the HTTP Request node, with the options of its version 4 in
 * n8n 1.123 and 2.41: the address is `uri`, and the names of headers are in lower case. `httpRequest` is the helper of
 * newer nodes and of the HTTP Request Tool. `more` are further options, as JSON.
 */
const caller: INodeType = {
  description: describeNode('caller', 1, ['url', 'helper', 'more'].map(defineText), {
    credentials: [{ name: CREDENTIAL, required: true }],
  }),
  async execute(this: IExecuteFunctions) {
    const url = this.getNodeParameter('url', 0) as string;
    const options = JSON.parse(this.getNodeParameter('more', 0) as string) as object;
    const body: unknown =
      this.getNodeParameter('helper', 0) === 'request'
        ? await this.helpers.requestWithAuthentication.call(this, CREDENTIAL, {
            headers: {},
            method: 'GET',
            uri: url,
            gzip: true,
            rejectUnauthorized: true,
            followRedirect: true,
            followAllRedirects: true,
            sendCredentialsOnCrossOriginRedirect: true,
            ...options,
          })
        : await this.helpers.httpRequestWithAuthentication.call(this, CREDENTIAL, { url, ...options });
    return [[{ json: { body: typeof body === 'string' ? body : JSON.stringify(body) } }]];
  },
};

let env: TestEnvironment;
let sentBefore: number;
beforeAll(async () => {
  coreNodes.caller = caller;
  env = await TestEnvironment.start();
});
afterAll(async () => {
  delete coreNodes.caller;
  await env.stop();
});
beforeEach(() => {
  sentBefore = env.service.requests.length;
});

const AS_USER = { userLogin: 'password', email: 'ada@x.example', password: 'pw' };

const call = (helper: string, url: string, options: object = {}, settings: object = {}) =>
  env.withSettings(settings, () =>
    env.engine.run(
      chainNodes(
        START,
        createNode('Node', 'n8n-nodes-base.caller', { helper, url, more: JSON.stringify(options) }),
      ),
    ),
  );
const getStatusUrl = () => `${env.service.baseUrl}/api/v1/status`;
const listForeignRequests = () => env.service.secondOrigin.requests;

describe.each(['request', 'httpRequest'])('with the helper %s', (helper) => {
  test('the keys are sent to the service', async () => {
    const headers = { 'x-service-app-key': 'other' };
    const run = await call(helper, getStatusUrl(), { headers });
    expect(run.error).toBeUndefined();
    expect(env.service.requests.at(-1)!.headers).toMatchObject({
      'x-service-app-key': env.service.keys.appKey,
    });
  });

  test('the keys are sent to no other server', async () => {
    const { error } = await call(helper, `${env.service.secondOrigin.baseUrl}/api/v1/status`);
    expect(error?.message).toContain(
      `The keys of this credential are sent to ${env.service.baseUrl} only, not to ${env.service.secondOrigin.baseUrl}.`,
    );
    expect(listForeignRequests()).toEqual([]);
  });

  test('an address is read as n8n reads it', async () => {
    // Seen from the Base URL this is a path; by itself, as n8n parses it, it is another host.
    const url = env.service.secondOrigin.baseUrl.replace('//', '');
    const { error } = await call(helper, `${url}/api/v1/status`);
    expect(error?.message).toContain(`not to ${env.service.secondOrigin.baseUrl}.`);
    const base = await call(helper, '/api/v1/status', { baseURL: env.service.secondOrigin.baseUrl });
    expect(base.error?.message).toContain(`not to ${env.service.secondOrigin.baseUrl}.`);
    expect(listForeignRequests()).toEqual([]);
    const path = await call(helper, '/api/v1/status', { baseURL: env.service.baseUrl });
    expect(path.error).toBeUndefined();
  });

  test('the keys are sent through no proxy of the node, and for no other host', async () => {
    const { error } = await call(helper, getStatusUrl(), { proxy: env.service.secondOrigin.baseUrl });
    expect(error?.message).toContain('not through a proxy of the node');
    expect(listForeignRequests()).toEqual([]);
    await call(helper, getStatusUrl(), { headers: { host: 'other.example' } });
    expect(env.service.requests.at(-1)!.headers.host).toBe(new URL(env.service.baseUrl).host);
  });

  test('the keys follow no redirect', async () => {
    const location = `${env.service.secondOrigin.baseUrl}/collect`;
    env.service.faults.add({ fault: { type: 'redirect', status: 302, location } });
    const { error } = await call(helper, getStatusUrl());
    expect(error?.message).toContain('302');
    expect(listForeignRequests()).toEqual([]);
  });

  describe('with the login of a user', () => {
    test.each(['authorization', 'Authorization'])('the token in the header %s is sent', async (name) => {
      for (const credentials of [AS_USER, { userLogin: 'token', token: 'of-the-credential' }]) {
        await call(helper, getStatusUrl(), { headers: { [name]: 'Bearer of-the-node' } }, credentials);
        expect(env.service.requests.at(-1)!.headers.authorization).toBe('Bearer of-the-node');
      }
    });

    test.each<[string, object]>([
      ['no header', {}],
      ['an empty header', { headers: { Authorization: '' } }],
      ['a header that is no token', { headers: { authorization: 'Basic eDp5' } }],
      ['a token that an empty header replaces', { headers: { Authorization: '', authorization: 'Bearer' } }],
      ['a login of the request', { auth: { user: 'x', pass: 'y', username: 'x', password: 'y' } }],
    ])('the keys are never sent alone: %s', async (_, options) => {
      const { error } = await call(helper, getStatusUrl(), options, AS_USER);
      expect(error?.message).toContain('This credential acts as a user');
      expect(env.service.requests).toHaveLength(sentBefore);
      await call(helper, getStatusUrl(), options, { userLogin: 'token', token: 'abc' });
      expect(env.service.requests.at(-1)!.headers.authorization).toBe('Bearer abc');
    });

    test('a name in the address does not replace the token', async () => {
      const url = getStatusUrl().replace('://', '://x:y@');
      const { error } = await call(helper, url, {}, { userLogin: 'token', token: 'abc' });
      expect(error?.message).toContain('not to an address with a user name or a password');
      expect(env.service.requests).toHaveLength(sentBefore);
    });
  });
});
