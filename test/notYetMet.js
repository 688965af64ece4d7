/**
 * Tests that do not hold yet for the embedded service as clients met it, and why: the projects `client-met` and
 * `engine-met` leave them out. `tests` are parts of their titles, joined by ` › `; without it, all tests of the file.
 * A row goes when the package holds its point.
 */
const JOIN = 'a connection is called Join, which the package takes for a kind that it does not know';

module.exports = [
  { file: 'client/connectionNames.test.ts', reason: JOIN },
  { file: 'client/connections.test.ts', reason: JOIN },
  { file: 'client/updateAnswers.test.ts', reason: JOIN },
  { file: 'client/syncs.test.ts', reason: JOIN },
  { file: 'client/writes.test.ts', reason: JOIN },
  {
    file: 'client/syncChanges.test.ts',
    tests: [
      'a key that another client creates › before the create, with the same values, needs no write',
      'a key that another client creates › before the create, with connections that a user may see in part, is written',
    ],
    reason: JOIN,
  },
  {
    file: 'engine/contract.test.ts',
    tests: ['the outputs have the keys and the types of their schemas'],
    reason: 'one record has no created_at, and the status of a session no time_remaining',
  },
];
