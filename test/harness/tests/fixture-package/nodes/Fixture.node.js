const { NodeApiError, sleep } = require('n8n-workflow');

/** Calls one path of the API for each item; `file` turns the answer into binary data. */
class Fixture {
  description = {
    displayName: 'Fixture',
    name: 'fixture',
    group: ['transform'],
    version: 1,
    description: 'Calls the fixture API',
    defaults: { name: 'Fixture' },
    usableAsTool: true,
    inputs: ['main'],
    outputs: ['main'],
    credentials: [
      { name: 'fixtureApi', required: true },
      { name: 'fixtureSignedApi', required: false, testedBy: 'signedTest' },
    ],
    properties: [
      {
        displayName: 'Operation',
        name: 'operation',
        type: 'options',
        options: [
          { name: 'Call', value: 'call' },
          { name: 'Download', value: 'download' },
          { name: 'Read Binary', value: 'readBinary' },
          { name: 'Remember', value: 'remember' },
          { name: 'Wait', value: 'wait' },
          { name: 'Signed', value: 'signed' },
          { name: 'Zone', value: 'zone' },
        ],
        default: 'call',
      },
      { displayName: 'Path', name: 'path', type: 'string', default: '/echo', required: true },
      {
        displayName: 'Table',
        name: 'table',
        type: 'resourceLocator',
        default: { mode: 'list', value: '' },
        modes: [],
      },
    ],
  };

  methods = {
    credentialTest: {
      async signedTest({ data }) {
        const answer = await this.helpers.request({ uri: `${data.baseUrl}/status`, json: true });
        return answer.active
          ? { status: 'OK', message: 'Fine' }
          : { status: 'Error', message: `No, ${data.user}` };
      },
    },
    listSearch: {
      async searchThings(filter, paginationToken) {
        const { baseUrl } = await this.getCredentials('fixtureApi');
        const url = `${baseUrl}/things?page=${paginationToken ?? '1'}&q=${filter ?? ''}`;
        const { names, next } = await this.helpers.httpRequestWithAuthentication.call(this, 'fixtureApi', {
          url,
          json: true,
        });
        return { results: names.map((name) => ({ name, value: name })), paginationToken: next };
      },
    },
    loadOptions: {
      async fieldsOfTable() {
        const table = this.getCurrentNodeParameter('table', { extractValue: true });
        const sibling = this.getCurrentNodeParameter('&key');
        return [{ name: `Field of ${table} next to ${sibling}`, value: 'field' }];
      },
    },
    resourceMapping: {
      async columns() {
        return { fields: [{ id: 'a' }, { id: 'a' }, { id: 'b' }] };
      },
    },
  };

  async execute() {
    const out = [];
    const items = this.getInputData();
    const operation = this.getNodeParameter('operation', 0);
    for (let i = 0; i < items.length; i++) {
      const path = this.getNodeParameter('path', i);
      const pairedItem = { item: i };
      try {
        if (operation === 'remember') this.getWorkflowStaticData('node').path = path;
        if (operation === 'signed') {
          const { baseUrl } = await this.getCredentials('fixtureSignedApi', i);
          const url = `${baseUrl}${path}`;
          const json = await this.helpers.httpRequestWithAuthentication.call(this, 'fixtureSignedApi', {
            url,
            json: true,
          });
          out.push({ json, pairedItem });
        }
        if (operation === 'zone') out.push({ json: { zone: this.getTimezone() }, pairedItem });
        if (operation === 'wait') {
          while (!this.getExecutionCancelSignal()?.aborted) await sleep(5);
          out.push({ json: { stopped: true }, pairedItem });
        }
        if (operation === 'readBinary') {
          const { id, fileName } = this.helpers.assertBinaryData(i, 'data');
          const stream = id ? await this.helpers.getBinaryStream(id) : undefined;
          const text = stream
            ? (await this.helpers.binaryToBuffer(stream)).toString()
            : (await this.helpers.getBinaryDataBuffer(i, 'data')).toString();
          out.push({ json: { text, fileName, stored: Boolean(id) }, pairedItem });
        }
        if (operation === 'call' || operation === 'download') {
          const { baseUrl } = await this.getCredentials('fixtureApi', i);
          const download = operation === 'download';
          const answer = await this.helpers.httpRequestWithAuthentication.call(this, 'fixtureApi', {
            url: `${baseUrl}${path}`,
            ...(download ? { encoding: 'arraybuffer' } : { json: true }),
          });
          const binary = download
            ? { data: await this.helpers.prepareBinaryData(Buffer.from(answer), 'file.txt', 'text/plain') }
            : undefined;
          out.push({ json: download ? {} : answer, binary, pairedItem });
          this.logger.info(`called ${path}`, { deep: { status: 'fine' } });
        }
      } catch (error) {
        if (!this.continueOnFail())
          throw new NodeApiError(this.getNode(), { message: error.message }, { itemIndex: i });
        out.push({ json: { error: error.message }, pairedItem });
      }
    }
    this.sendMessageToUI(`handled ${items.length}`);
    this.addExecutionHints({ message: `${items.length} items`, location: 'outputPane' });
    return [out];
  }
}

module.exports = { Fixture };
