/** Signs requests in code instead of by a template, and has no test of its own. */
class FixtureSignedApi {
  name = 'fixtureSignedApi';
  displayName = 'Fixture Signed API';
  properties = [
    { displayName: 'Base URL', name: 'baseUrl', type: 'string', default: '' },
    { displayName: 'User', name: 'user', type: 'string', default: 'nobody' },
  ];

  async authenticate({ user }, options) {
    return {
      ...options,
      headers: { ...options.headers, 'x-signature': `${user}:${options.method ?? 'GET'}` },
    };
  }
}

module.exports = { FixtureSignedApi };
