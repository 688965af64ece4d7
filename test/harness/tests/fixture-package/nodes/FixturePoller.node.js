/** Counts its polls in static data and returns what the API sends for the count. */
class FixturePoller {
  description = {
    displayName: 'Fixture Poller',
    name: 'fixturePoller',
    group: ['trigger'],
    version: 1,
    description: 'Starts on news',
    defaults: { name: 'Fixture Poller' },
    inputs: [],
    outputs: ['main'],
    credentials: [{ name: 'fixtureApi', required: true }],
    polling: true,
    properties: [],
  };

  async poll() {
    const seen = this.getWorkflowStaticData('node');
    seen.polls = (seen.polls ?? 0) + 1;
    const { baseUrl } = await this.getCredentials('fixtureApi');
    const news = await this.helpers.httpRequestWithAuthentication.call(this, 'fixtureApi', {
      url: `${baseUrl}/news/${seen.polls}`,
      json: true,
    });
    if (news.length === 0) return null;
    const about = {
      activation: this.getActivationMode(),
      mode: this.getMode(),
      budget: this.getPollBudgetMs(),
      // n8n adds this parameter to the form of every polling node.
      pollTimes: this.getNodeParameter('pollTimes'),
    };
    return [news.map((text) => ({ json: { text, ...about } }))];
  }
}

module.exports = { FixturePoller };
