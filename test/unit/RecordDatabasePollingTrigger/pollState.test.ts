import { omit } from 'lodash';
import {
  type PollState,
  adoptState,
  createMark,
  createPollState,
  formatPollState,
  isMarkNeeded,
  isRepeatDue,
  parsePollState,
  updateReturnedAt,
} from '../../../nodes/RecordDatabasePollingTrigger/pollState';

/** The state between polls: its text, its scope, and which changes a restart returns again. */
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 5, 1);

const createState = (more: Partial<PollState> = {}): PollState => ({
  ...createPollState('scope', 'one', NOW),
  ...more,
});

describe('the stored text', () => {
  const state = createState({
    processes: [
      ['one', 1],
      ['two', 2],
    ],
    pollCount: 40,
    returnedAt: new Map([[40, NOW]]),
    pollsToRepeat: [39, 40],
    known: new Map([
      ['hash-of1', { date: '2026-06-01 10:00:00' }],
      ['hash-of2', { date: '2026-06-01 10:00:00', mark: { pollNumber: 40 } }],
      ['hash-of3', { date: '2026-06-01 10:00:00', mark: { pollNumber: 40, isRepeated: true } }],
      ['hash-of4', { date: '2026-06-01 10:00:01', mark: { pollNumber: 40 } }],
    ]),
    position: {
      floor: '2026-06-01 09:55:00',
      watermark: '2026-06-01 10:00:01',
      advancedAt: NOW,
      backlog: { continueFrom: '2026-06-01 10:00:00', startedAt: NOW, returnedUpTo: 'hash-of1' },
    },
    records: new Map([
      ['a b%', { value: 'abc.?' }],
      ['c', { value: '', mark: { event: 'DELETE', pollNumber: 40 } }],
      ['d', { value: '=hash', mark: { event: 'NOT_VISIBLE', pollNumber: 39, isRepeated: true } }],
    ]),
    slugs: ['title', 'done'],
    checkedId: 'c',
  });

  test.each([
    ['full', state],
    ['new', createState()],
  ])('a %s state is read as it was written', (_what, written) => {
    expect(parsePollState(formatPollState(written), 'scope')).toEqual(written);
  });

  test('each kind of change is read as it was written', () => {
    const events = ['INSERT', 'UPDATE', 'UPSERT', 'DELETE', 'LEFT_FILTER', 'NOT_VISIBLE', 'ENTRY'] as const;
    const records = new Map(events.map((event) => [event, { value: 'x', mark: { event, pollNumber: 1 } }]));
    expect(parsePollState(formatPollState(createState({ records })), 'scope')?.records).toEqual(records);
  });

  test('a state of another scope is ignored', () => {
    expect(parsePollState(formatPollState(state), 'other')).toBeUndefined();
  });

  test.each([undefined, null, 5, '', 'no JSON', '[]', 'null', '{}', '{"scope":"scope"}'])(
    '%j is no state',
    (text) => {
      expect(parsePollState(text, 'scope')).toBeUndefined();
    },
  );

  test.each(['scope', 'known', 'records'])('a text without "%s" is no state', (key) => {
    const rest = omit(JSON.parse(formatPollState(state)) as object, key);
    expect(parsePollState(JSON.stringify(rest), 'scope')).toBeUndefined();
  });
});

describe('a state of another process', () => {
  const interval = MINUTE;
  const adopt = (state: PollState, more: Partial<Parameters<typeof adoptState>[1]> = {}) =>
    adoptState(state, { process: 'two', repeatAfterRestart: true, now: NOW, interval, ...more });
  const returned = createState({ returnedAt: new Map([[7, NOW - MINUTE]]) });

  test('is adopted, and its last changes are due again', () => {
    expect(adopt(returned)).toEqual({
      ...returned,
      processes: [
        ['one', NOW],
        ['two', NOW],
      ],
      pollsToRepeat: [7],
    });
  });

  test('that of the same process stays as it is', () => {
    const own = createState({ ...returned, pollsToRepeat: [3] });
    expect(adopt(own, { process: 'one' })).toBe(own);
  });

  test('nothing is due with Repeat After a Restart off', () => {
    expect(adopt(returned, { repeatAfterRestart: false }).pollsToRepeat).toEqual([]);
  });

  test.each([
    [24 * HOUR - 1, [7]],
    [24 * HOUR, []],
  ])('changes that were returned %d ms ago: %j are due', (age, due) => {
    expect(adopt(createState({ returnedAt: new Map([[7, NOW - age]]) })).pollsToRepeat).toEqual(due);
  });

  test.each([
    [10 * MINUTE, []],
    [10 * MINUTE + 1, [7]],
  ])('this process has taken over %d ms ago, with polls each minute: %j are due', (ago, due) => {
    const processes: PollState['processes'] = [
      ['two', NOW - ago],
      ['one', NOW - 1],
    ];
    const adopted = adopt(createState({ ...returned, processes }));
    expect(adopted.pollsToRepeat).toEqual(due);
    expect(adopted.processes).toEqual([
      ['one', NOW - 1],
      ['two', NOW],
    ]);
  });

  test('the last five processes are kept', () => {
    const processes = ['a', 'b', 'c', 'd', 'e'].map((id): [string, number] => [id, NOW]);
    expect(adopt(createState({ processes })).processes.map(([id]) => id)).toEqual([
      'b',
      'c',
      'd',
      'e',
      'two',
    ]);
  });
});

test('the polls of the last ten minutes before a poll are kept', () => {
  const before = new Map([
    [1, NOW - 10 * MINUTE],
    [2, NOW - 10 * MINUTE + 1],
  ]);
  expect([...updateReturnedAt(before, [3, 3, 2], NOW)]).toEqual([
    [2, NOW],
    [3, NOW],
  ]);
  expect([...updateReturnedAt(before, [], NOW)]).toEqual([[2, NOW - 10 * MINUTE + 1]]);
});

test('a change is due again only if its poll is, and only once', () => {
  const state = createState({ pollsToRepeat: [7], returnedAt: new Map([[7, NOW]]) });
  const first = createMark(undefined, 7);
  expect(first).toEqual({ pollNumber: 7 });
  expect(isRepeatDue(first, state)).toBe(true);
  const again = createMark(first, 8);
  expect(again).toEqual({ pollNumber: 7, isRepeated: true });
  expect([again, { pollNumber: 6 }, undefined].map((mark) => isRepeatDue(mark, state))).toEqual([
    false,
    false,
    false,
  ]);
  expect([again, { pollNumber: 6 }, undefined].map((mark) => isMarkNeeded(mark, state.returnedAt))).toEqual([
    true,
    false,
    false,
  ]);
});
