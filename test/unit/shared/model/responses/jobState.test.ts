import {
  findJobEntry,
  findQueueId,
  isFinalState,
  readJobState,
} from '../../../../../nodes/shared/model/responses/jobState';

test.each([
  [
    'finished',
    [
      'Complete',
      'completed',
      'COMPLETED',
      'Finished',
      'done',
      'success',
      'Succeeded',
      'succeed',
      'complete',
      'finish',
      'ended',
      'processed',
      'Imported',
      'exported',
      'Executed',
      'generated',
    ],
  ],
  [
    'failed',
    ['Failed', 'failure', 'error', 'Errored', 'timed_out', 'complete with errors', 'Completed-With-Errors'],
  ],
  [
    'stopped',
    [
      'terminated',
      'terminate',
      'Cancelled',
      'cancel',
      'canceled',
      'stopped',
      'stop',
      'Aborted',
      'killed',
      'KILL',
    ],
  ],
  [
    'running',
    [
      'start',
      'Started',
      'Processing',
      'pending',
      'Queued',
      'in_progress',
      'In Progress',
      'running',
      'Active',
    ],
  ],
  [
    'unknown',
    [
      '',
      'Phase 7',
      'incomplete',
      'not finished',
      'unsuccessful',
      'error-free',
      'restart',
      undefined,
      null,
      3,
      {},
    ],
  ],
] as const)('%s', (state, words) => {
  expect(words.map((status) => [status, readJobState({ status })])).toEqual(
    words.map((status) => [status, state]),
  );
});

test('uses a file or an end date only if the status is unknown', () => {
  expect(readJobState({ status: 'Phase 7', download_url: 'https://example.com/a' })).toBe('finished');
  expect(readJobState({ status: 'Phase 7', end_date: '2025-01-01 00:00:00' })).toBe('finished');
  expect(readJobState({ status: 'Phase 7', end_date: null, end_at: '', download_url: '' })).toBe('unknown');
  expect(readJobState({ status: 'Processing', end_date: '2025-01-01 00:00:00' })).toBe('running');
  expect(readJobState({ status: 'Phase 7', complete: 100 })).toBe('finished');
  expect(readJobState({ status: 'Phase 7', complete: 100, download_url: '' })).toBe('unknown');
  expect(readJobState({ status: 'Exporting', complete: 100 })).toBe('running');
  expect(readJobState({ status: 'Importing', processed_rows: 5, total_rows: 5 })).toBe('running');
  expect(readJobState({ status: 'Terminating' })).toBe('stopped');
  expect((['finished', 'failed', 'stopped', 'running', 'unknown'] as const).map(isFinalState)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

test.each([
  [
    'failed',
    [
      'Failed: disk full',
      'Failed with errors',
      'Partially Failed',
      'Failed.',
      'Completed with 10 errors',
      'Unsuccessful',
      'Timed out after 60 s',
    ],
  ],
  ['stopped', ['Cancelled by user', 'Terminated (admin)', 'Aborted: no errors']],
  [
    'finished',
    [
      'Phase 7',
      '',
      'Error-free',
      'Errors: 0',
      'Failed (0)',
      'Complete, no errors',
      'Completed with 0 errors',
      'Complete, 0 rows failed',
      'Completed, errors=0',
      'Imported 9, rejected 0',
      'Finished without any errors',
      'Complete, error log available',
      'Rows: 5, errors: 0',
      'Not cancelled',
    ],
  ],
] as const)('at its end, a run of more words than one has %s', (state, words) => {
  for (const status of words) {
    expect([status, readJobState({ status, end_date: '2025-01-01 00:00:00' })]).toEqual([status, state]);
    expect([status, readJobState({ status }, true)]).toEqual([status, state]);
    // "Processing, 1 error" may go on.
    expect([status, readJobState({ status })]).toEqual([status, 'unknown']);
  }
});

test.each([
  [{ total_rows: 3, processed_rows: 3, error_rows: 1 }, 'finished'],
  [{ total_records: 3, total_record_proceed: '3' }, 'finished'],
  [{ complete: 100 }, 'finished'],
  [{ total_rows: 3, processed_rows: 2 }, 'unknown'],
  [{ total_rows: 0, processed_rows: 0 }, 'unknown'],
  [{ complete: 99 }, 'unknown'],
  [{ total_rows: 3, processed_rows: 3, error_rows: 3 }, 'failed'],
])('the counts %j of an unknown word: %s', (counts, state) =>
  expect(readJobState({ status: 'Phase 7', ...counts })).toBe(state),
);

test('counts do not override a known status, unless every row has an error', () => {
  expect(readJobState({ status: 'Processing', total_rows: 3, processed_rows: 3 })).toBe('running');
  expect(readJobState({ status: 'Complete', total_rows: 3, error_rows: 3 })).toBe('failed');
  expect(readJobState({ status: 'Complete', total_rows: 3, error_rows: 2 })).toBe('finished');
});

describe('the entry in a response', () => {
  const entry = { task_queue_id: 'q1', status: 'start' };
  const other = { task_queue_id: 'q2', status: 'complete' };

  test.each([
    ['a list', { type: 'success', tasks: [other, entry] }],
    ['a bare list', [other, entry]],
    ['an object under any key', { type: 'success', run: entry }],
    ['the answer itself', entry],
  ])('is found by its ID in %s', (_, body) => {
    expect(findJobEntry(body, 'q1', true)).toEqual(entry);
    expect(findJobEntry(body, 'q1', false)).toEqual(entry);
  });

  test('finds an entry that contains objects and lists', () => {
    const rich = {
      id: 'q1',
      status: 'Complete',
      dataTable: { id: 't1' },
      exportTemplate: { id: 'e1' },
      errors: [{ id: 'x' }],
    };
    expect(findJobEntry(rich, 'q1', true)).toBe(rich);
  });

  test('uses a single entry for a request for one run, but not for a list of all runs', () => {
    const nameless = { status: 'Complete', total_rows: 1 };
    expect(findJobEntry({ items: [nameless] }, 'q1', true)).toBe(nameless);
    expect(findJobEntry({ item: nameless }, 'q1', true)).toBe(nameless);
    expect(findJobEntry({ items: [nameless] }, 'q1', false)).toBeUndefined();
    expect(findJobEntry({ items: [nameless, nameless] }, 'q1', true)).toBeUndefined();
  });

  test.each([
    { status: 'success', msg: 'ok' },
    { type: 'success', tasks: [] },
    { type: 'success' },
    'text',
    null,
    undefined,
    7,
    [],
  ])('an answer that shows no run shows none: %j', (body) =>
    expect(findJobEntry(body, 'q1', true)).toBeUndefined(),
  );
});

test.each([
  [{ type: 'success', task_queue_id: 'q1', msg: 'x' }, 'q1'],
  [{ automation_queue_id: 7 }, '7'],
  [{ queueId: 'q1', id: 'other' }, 'q1'],
  [{ type: 'success', id: 'q1' }, 'q1'],
  [{ data: { id: 'q1' } }, 'q1'],
  [{ id: 'wrong', item: { queue_id: 'q1' } }, 'q1'],
  [{ queue: 'q1' }, 'q1'],
  [{ template: { id: 't1' }, queue: { id: 'q1' } }, 'q1'],
  [{ template: { id: 't1' }, import_queue: [{ id: 'q1' }] }, 'q1'],
  [{ type: 'success', items: [{ id: 'q1', status: 'start' }] }, 'q1'],
  [{ type: 'success', items: [{ id: 'q1' }, { id: 'q2' }] }, undefined],
  [{ execution_id: 'q1' }, 'q1'],
  [{ type: 'success', msg: 'Started' }, undefined],
  [{ queue_id: '' }, undefined],
  [{ queue_id: null, id: {} }, undefined],
  ['q1', undefined],
  [null, undefined],
])('the queue ID in %j is %s', (body, id) => expect(findQueueId(body)).toBe(id));
