/**
 * The parts of the package, with the tests that are run against each change. `share` is the part of its runs
 * that a random test makes. A part with `build` also has engine tests, which run the built package.
 */
const engine = {
  share: 0.05,
  build: true,
  tests:
    'test/{engine/{agents,polling,records,resources,trigger}/**/*,engine/{editor,nothingFound},unit/{shared/kit,*/resources}/**/*}.test.ts',
};

module.exports = {
  transport: {
    share: 0.01,
    mutate: ['nodes/shared/transport/**/*.ts'],
    tests: 'test/unit/shared/transport/**/*.test.ts',
  },
  model: {
    share: 0.02,
    mutate: ['nodes/shared/model/**/*.ts'],
    tests: 'test/unit/shared/model/**/*.test.ts',
  },
  trigger: {
    share: 0.01,
    mutate: [
      'nodes/RecordDatabaseTrigger/{webhookIdentity,staticData}.ts',
      'nodes/RecordDatabaseTrigger/{delivery,subscriptions}/*.ts',
    ],
    tests: 'test/unit/RecordDatabaseTrigger/**/*.test.ts',
  },
  pollingTrigger: {
    share: 0.01,
    mutate: ['nodes/RecordDatabasePollingTrigger/{changes,reading}/*.ts'],
    tests: 'test/unit/RecordDatabasePollingTrigger/**/*.test.ts',
  },
  kit: { ...engine, mutate: ['nodes/shared/kit/**/*.ts'] },
  resources: { ...engine, mutate: ['nodes/*/resources/**/*.ts'] },
};
