/**
 * Tests that do not hold yet for the embedded service as clients met it, and why: the projects `client-met` and
 * `engine-met` leave them out. `tests` are parts of their titles, joined by ` › `; without it, all tests of the file.
 * A row goes when the package holds its point.
 */
const JOIN = 'a connection is called Join, which the package takes for a kind that it does not know';
const CREATED = 'the answer to a create holds recordId alone';

module.exports = [
  { file: 'client/connectionNames.test.ts', reason: JOIN },
  { file: 'client/connections.test.ts', reason: JOIN },
  { file: 'client/updateAnswers.test.ts', reason: JOIN },
  { file: 'client/syncs.test.ts', reason: JOIN },
  { file: 'client/writes.test.ts', reason: JOIN },
  { file: 'client/syncChanges.test.ts', reason: CREATED },
  { file: 'client/sync.test.ts', reason: CREATED },
  { file: 'client/upserts.test.ts', reason: CREATED },
  { file: 'client/ended.test.ts', reason: CREATED },
  { file: 'engine/contract.test.ts', reason: CREATED },
];
