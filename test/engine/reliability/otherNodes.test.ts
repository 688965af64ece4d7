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

/** Sends a GET as other nodes do: `request` is the helper of the HTTP Request node, `httpRequest` that of newer nodes. */
const caller: INodeType = {
  description: describeNode('caller', 1, ['url', 'helper'].map(defineText), {
    credentials: [{ name: CREDENTIAL, required: true }],
  }),
  async execute(this: IExecuteFunctions) {
    const url = this.getNodeParameter('url', 0) as string;
    const body: unknown =
      this.getNodeParameter('helper', 0) === 'request'
        ? await this.helpers.requestWithAuthentication.call(this, CREDENTIAL, {
            method: 'GET',
            uri: url,
            followRedirect: true,
            followAllRedirects: true,
          })
        : await this.helpers.httpRequestWithAuthentication.call(this, CREDENTIAL, { url });
    return [[{ json: { body: typeof body === 'string' ? body : JSON.stringify(body) } }]];
  },
};

let env: TestEnvironment;
beforeAll(async () => {
  coreNodes.caller = caller;
  env = await TestEnvironment.start();
});
afterAll(async () => {
  delete coreNodes.caller;
  await env.stop();
});

const call = (helper: string, url: string) =>
  env.engine.run(chainNodes(START, createNode('Node', 'n8n-nodes-base.caller', { helper, url })));

describe.each(['request', 'httpRequest'])('with the helper %s', (helper) => {
  test('the keys are sent to the service', async () => {
    const run = await call(helper, `${env.service.baseUrl}/api/v1/status`);
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
    expect(env.service.secondOrigin.requests).toEqual([]);
  });

  test('the keys follow no redirect', async () => {
    const location = `${env.service.secondOrigin.baseUrl}/collect`;
    env.service.faults.add({ fault: { type: 'redirect', status: 302, location } });
    const { error } = await call(helper, `${env.service.baseUrl}/api/v1/status`);
    expect(error?.message).toContain('302');
    expect(env.service.secondOrigin.requests).toEqual([]);
  });
});
