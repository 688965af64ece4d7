import { findRunEntry, findQueueId, readRunState } from '../../../../nodes/service/jobs/runs';

describe('the entry in a response', () => {
  const entry = { task_queue_id: 'q1', status: 'start' };
  const other = { task_queue_id: 'q2', status: 'complete' };

  test.each([
    ['a list', { type: 'success', tasks: [other, entry] }],
    ['a bare list', [other, entry]],
    ['an object under any key', { type: 'success', run: entry }],
    ['the answer itself', entry],
  ])('is found by its ID in %s', (_, body) => expect(findRunEntry(body, 'q1')).toEqual(entry));

  test('is the one that holds the ID itself, and no object in it: IDs of other kinds coincide', () => {
    const run = {
      id: 'q1',
      status: 'Complete',
      dataTable: { id: 'q1' },
      exportTemplate: { id: 'q1' },
      errors: [{ id: 'q1' }],
    };
    expect(findRunEntry(run, 'q1')).toBe(run);
    expect(findRunEntry({ item: run }, 'q1')).toBe(run);
    expect(findRunEntry({ items: [{ ...run, id: 'q2' }, run] }, 'q1')).toBe(run);
    expect(findRunEntry({ ...run, id: 'q2', errors: [] }, 'q1')).toBeUndefined();
  });

  test.each([
    { id: 'q1' },
    { ID: 'q1' },
    { queue_id: 'q1' },
    { queueId: 'q1' },
    { taskQueueId: 'q1' },
    { import_queue_id: 'q1' },
  ])('is found by the ID in %j', (run) => {
    // The ID of the task and other keys that contain "id" do not identify a run.
    const others = { task_id: 'q1', id_type: 'q1', queue_ids: 'q1', idle: 'q1', paid: 'q1' };
    expect(findRunEntry({ tasks: [others, run] }, 'q1')).toBe(run);
  });

  test('is found by a number, and beside entries that are not objects', () => {
    const run = { id: 7, status: 'start' };
    expect(findRunEntry({ tasks: [null, 'x', [7], run] }, '7')).toBe(run);
  });

  test.each([
    { status: 'success', msg: 'ok' },
    { type: 'success', tasks: [] },
    'text',
    null,
    undefined,
    7,
    [],
  ])('an answer that shows no run shows none: %j', (body) =>
    expect(findRunEntry(body, 'q1')).toBeUndefined(),
  );
});

test.each([
  [{ type: 'success', task_queue_id: 'q1', msg: 'x' }, 'q1'],
  [{ type: 'success', import_queue_id: 'q1', msg: 'x' }, 'q1'],
  [{ automation_queue_id: 7 }, '7'],
  [{ id: 'other', queueId: 'q1' }, 'q1'],
  [{ type: 'success', id: 'q1' }, 'q1'],
  [{ data: { id: 'q1' } }, 'q1'],
  [{ items: [{ id: 'q1', status: 'start' }] }, 'q1'],
  [{ template: { id: 't1' }, queue_id: 'q1' }, 'q1'],
  [{ items: [{ id: 'q1' }, { id: 'q2' }] }, undefined],
  [{ idle: 'x', queue_name: 'x', import_ids: 'x', task_id: 'x', paid: 'x' }, undefined],
  [{ queue_id: { a: 1 }, id: 'q1' }, 'q1'],
  [{ type: 'success', msg: 'Started' }, undefined],
  [{ queue_id: '' }, undefined],
  ['q1', undefined],
  [null, undefined],
])('the queue ID in %j is %s', (body, id) => expect(findQueueId(body)).toBe(id));

test.each(
  Object.entries({
    failed: [
      'Failed',
      'fail',
      'Error',
      'Failed: disk full',
      'Timed_Out',
      'COMPLETED_WITH_ERRORS',
      'Rejected',
    ],
    stopped: ['terminate', 'Terminated', 'Cancelled', 'canceled by user', 'Stopped', 'Aborted', 'Killed: 9'],
    finished: [
      'Complete',
      'completed ',
      'Finished',
      'Done',
      'Success',
      'succeed',
      'Processed',
      'Ended',
      'Successful',
      'Completed successfully',
      'End',
    ],
    running: ['start', 'Start', 'Processing'],
    unknown: [
      '',
      'Queued',
      'Phase 7',
      'Finishing',
      'complete 10%',
      'Stopping',
      'Not finished',
      'Restart',
      'No errors',
      undefined,
      null,
      3,
      {},
    ],
  }),
)('%s', (state, words) =>
  expect(words.map((status) => [status, readRunState({ status })])).toEqual(
    words.map((status) => [status, state]),
  ),
);

test('a run whose rows all have errors has failed', () => {
  expect(readRunState({ status: 'Complete', total_rows: 3, error_rows: 2 })).toBe('finished');
  expect(readRunState({ status: 'Complete', total_rows: '3', error_rows: '3' })).toBe('failed');
  expect(readRunState({ status: 'Processing', total_rows: 3, error_rows: 3 })).toBe('running');
  expect(readRunState({ status: 'Complete', total_rows: 0, error_rows: 0 })).toBe('finished');
});
