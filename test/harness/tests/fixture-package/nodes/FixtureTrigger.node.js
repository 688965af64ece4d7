/** Subscribes its URL at `/hooks` and remembers the id in static data. */
class FixtureTrigger {
  description = {
    displayName: 'Fixture Trigger',
    name: 'fixtureTrigger',
    group: ['trigger'],
    version: 1,
    description: 'Starts on a delivery',
    defaults: { name: 'Fixture Trigger' },
    inputs: [],
    outputs: ['main'],
    credentials: [{ name: 'fixtureApi', required: true }],
    webhooks: [
      {
        name: 'default',
        httpMethod: 'POST',
        responseMode: '={{$parameter["answer"]}}',
        responseCode: 202,
        path: 'hook',
      },
    ],
    properties: [
      { displayName: 'Answer', name: 'answer', type: 'string', default: 'onReceived' },
      { displayName: 'Topic', name: 'topic', type: 'string', default: 'any' },
    ],
  };

  webhookMethods = {
    default: {
      async checkExists() {
        const { id } = this.getWorkflowStaticData('node');
        await call(this, 'GET', `/hooks?check=${id ?? 'none'}`);
        return id !== undefined;
      },
      async create() {
        const body = {
          url: this.getNodeWebhookUrl('default'),
          topic: this.getNodeParameter('topic'),
          activation: this.getActivationMode(),
        };
        const { id } = await call(this, 'POST', '/hooks', body);
        this.getWorkflowStaticData('node').id = id;
        return true;
      },
      async delete() {
        const { id } = this.getWorkflowStaticData('node');
        await call(this, 'DELETE', `/hooks?id=${id}`);
        delete this.getWorkflowStaticData('node').id;
        return true;
      },
    },
  };

  async webhook() {
    const body = this.getBodyData();
    const request = this.getRequestObject();
    const seen = this.getWorkflowStaticData('node');
    if (body.forged) {
      seen.refused = (seen.refused ?? 0) + 1;
      this.getResponseObject().status(401).json({ refused: true });
      return { noWebhookResponse: true };
    }
    if (body.ignored) return { webhookResponse: { skipped: true } };
    if (body.broken) throw new Error('webhook is broken');
    if (body.waits) await call(this, 'GET', '/wait');
    seen.deliveries = (seen.deliveries ?? 0) + 1;
    const json = {
      body,
      raw: request.rawBody.toString(),
      header: this.getHeaderData()['x-token'],
      query: this.getQueryData(),
      mode: this.getMode(),
      delivery: seen.deliveries,
      subscription: seen.id,
    };
    if (body.quiet) {
      setTimeout(() => this.getResponseObject().status(204).end(), 20);
      return { noWebhookResponse: true, workflowData: [[{ json }]] };
    }
    return { workflowData: [[{ json }]], webhookResponse: body.answer };
  }
}

async function call(context, method, path, body) {
  const { baseUrl } = await context.getCredentials('fixtureApi');
  const options = { method, url: `${baseUrl}${path}`, body, json: true };
  return await context.helpers.httpRequestWithAuthentication.call(context, 'fixtureApi', options);
}

module.exports = { FixtureTrigger };
