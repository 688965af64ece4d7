/**
 * The parts of the package, with the tests that are run against each change. `share` is the part of its runs
 * that a random test makes. A part with `build` also has engine tests, which run the built package. `least` is the
 * percentage of changes that the tests must notice in a nightly run.
 */
const engine = {
  share: 0.05,
  build: true,
  least: 70,
  tests:
    'test/{engine/{agents,polling,records,resources,trigger}/**/*,engine/{editor,nothingFound},unit/{n8n,*/resources}/**/*}.test.ts',
};

module.exports = {
  client: {
    share: 0.01,
    least: 90,
    mutate: ['nodes/{service,records}/**/*.ts'],
    tests: 'test/{unit/{service,records}/**/*,client/!(noN8n)}.test.ts',
  },
  trigger: {
    share: 0.01,
    least: 90,
    mutate: [
      'nodes/RecordDatabaseTrigger/{authenticate,decide,handleDelivery,parseDelivery,staticData}.ts',
      'nodes/RecordDatabaseTrigger/subscriptions.ts',
    ],
    tests: 'test/unit/RecordDatabaseTrigger/**/*.test.ts',
  },
  pollingTrigger: {
    share: 0.01,
    least: 90,
    mutate: ['nodes/RecordDatabasePollingTrigger/{by,pollState,recordSource}*.ts'],
    tests: 'test/unit/RecordDatabasePollingTrigger/**/*.test.ts',
  },
  adapter: { ...engine, mutate: ['nodes/n8n/**/*.ts'] },
  resources: { ...engine, mutate: ['nodes/*/resources/**/*.ts'] },
  // What n8n calls: the description of each node, the forms of the triggers, their polls and webhooks.
  nodes: {
    ...engine,
    mutate: [
      'nodes/*/{*.node,form}.ts',
      'nodes/RecordDatabasePollingTrigger/poll.ts',
      'nodes/RecordDatabaseTrigger/webhookMethods.ts',
    ],
  },
  // Four of five changes are of texts of the form, which the tests of conventions hold.
  credentials: {
    share: 0.01,
    least: 15,
    mutate: ['credentials/*.ts'],
    tests: 'test/unit/credentials/**/*.test.ts',
  },
};
