/**
 * Tests that do not hold yet for the embedded service as clients met it, and why: the projects that `asMet` in
 * `jest.config.js` makes leave them out. `tests` are parts of their titles, joined by ` › `; without it, all tests of the
 * file. A row goes when the package, or the test, holds its point.
 */
const PARTS = 'a composite goes as JSON with bracket keys, which are ignored';
const DELETED = 'the test expects the event of a deletion after one poll; without a 404 it comes after two';
const KEYS = 'the test expects records without auto_increment, or null for a number without a value';

module.exports = [
  { file: 'client/updateAnswers.test.ts', tests: ['a part of a composite keeps'], reason: PARTS },
  {
    file: 'engine/records/sync.test.ts',
    tests: ['creates, updates and deletes by names of columns'],
    reason: KEYS,
  },
  {
    file: 'engine/polling/promises.test.ts',
    tests: ['gets No Longer Visible, also for a deleted one'],
    reason: DELETED,
  },
  {
    file: 'engine/polling/promises.test.ts',
    tests: ['with a changed date field'],
    reason: 'the test writes dates in UTC',
  },
  {
    file: 'engine/polling/example.test.ts',
    tests: ['is copied at once', 'what no delivery tells', 'too many deletions', 'is no longer visible'],
    reason: DELETED,
  },
  {
    file: 'engine/polling/snapshot.test.ts',
    tests: ['created, updated and deleted', 'leaves the filter', 'after a restart', '120 deletions'],
    reason: DELETED,
  },
  { file: 'engine/polling/date.test.ts', tests: ['the first poll returns nothing'], reason: KEYS },
];
