/** An API key sent with every call, plus a session token the credential fetches by itself. */
class FixtureApi {
  name = 'fixtureApi';
  displayName = 'Fixture API';
  properties = [
    { displayName: 'Base URL', name: 'baseUrl', type: 'string', default: 'http://unset.invalid' },
    {
      displayName: 'Key',
      name: 'key',
      type: 'string',
      typeOptions: { password: true },
      default: 'default-key',
    },
    {
      displayName: 'Session',
      name: 'session',
      type: 'hidden',
      typeOptions: { expirable: true },
      default: '',
    },
  ];

  async preAuthentication(credentials) {
    const { token } = await this.helpers.httpRequest({
      method: 'POST',
      url: `${credentials.baseUrl}/login`,
      json: true,
    });
    return { session: token };
  }

  authenticate = {
    type: 'generic',
    properties: { headers: { 'x-key': '={{$credentials.key}}', 'x-session': '={{$credentials.session}}' } },
  };

  test = {
    request: { baseURL: '={{$credentials.baseUrl}}', url: '/status' },
    rules: [
      { type: 'responseCode', properties: { value: 403, message: 'The key is wrong' } },
      {
        type: 'responseSuccessBody',
        properties: { key: 'active', value: false, message: 'The account is closed' },
      },
    ],
  };
}

module.exports = { FixtureApi };
