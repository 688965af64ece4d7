import {
  createPollState,
  formatPollState,
  parsePollState,
} from '../../../nodes/RecordDatabasePollingTrigger/pollState';

/** The state between polls: its text and its scope. */
const NOW = Date.UTC(2026, 5, 1);

describe('the stored text', () => {
  const state = {
    ...createPollState('scope'),
    pollCount: 40,
    known: new Map([
      ['hash-of1', '2026-06-01 10:00:00'],
      ['hash-of2', '2026-06-01 10:00:00'],
      ['hash-of3', '2026-06-01 10:00:01'],
      ['hash-of4', ''],
    ]),
    floor: '2026-06-01 09:55:00',
    watermark: '2026-06-01 10:00:01',
    advancedAt: NOW,
    records: new Map([
      ['a b%', 'abc.?'],
      ['c', ''],
      ['d', '=hash'],
    ]),
    values: new Map([['c', { title: 'it\'s "é"', done: 1 }]]),
    slugs: ['title', 'done'],
  };

  test.each([
    ['full', state],
    ['new', createPollState('scope')],
  ])('a %s state is read as it was written', (_what, written) => {
    expect(parsePollState(formatPollState(written), 'scope')).toEqual(written);
  });

  test('a state of another scope is ignored', () => {
    expect(parsePollState(formatPollState(state), 'other')).toBeUndefined();
  });

  test.each([undefined, null, 5, '', 'no JSON', '[]', 'null', '{}'])('%j is no state', (text) => {
    expect(parsePollState(String(text), 'scope')).toBeUndefined();
  });
});
