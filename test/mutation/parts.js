/**
 * What is tried, each part against the unit tests beside it. The rest of the package is held by the engine
 * tests, which would need hours for this. `share` of its runs is enough for a random test to notice a change.
 */
module.exports = {
  transport: { share: 0.01, mutate: ['nodes/shared/transport/*.ts'] },
  model: { share: 0.02, mutate: ['nodes/shared/model/**/*.ts'] },
  trigger: {
    share: 0.01,
    mutate: [
      'nodes/RecordDatabaseTrigger/{authenticity,delivery,hook,lifecycle,memory,output,state,subscriptions}.ts',
    ],
  },
};
