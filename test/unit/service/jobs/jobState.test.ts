import { findJobEntries, findJobEntry, findQueueId } from '../../../../nodes/service/jobs/jobState';

describe('the entry in a response', () => {
  const entry = { task_queue_id: 'q1', status: 'start' };
  const other = { task_queue_id: 'q2', status: 'complete' };

  test.each([
    ['a list', { type: 'success', tasks: [other, entry] }],
    ['a bare list', [other, entry]],
    ['an object under any key', { type: 'success', run: entry }],
    ['the answer itself', entry],
  ])('is found by its ID in %s', (_, body) => {
    expect(findJobEntry(body, 'q1', { isSingle: true })).toEqual(entry);
    expect(findJobEntry(body, 'q1')).toEqual(entry);
  });

  test('finds an entry that contains objects and lists', () => {
    const rich = {
      id: 'q1',
      status: 'Complete',
      dataTable: { id: 't1' },
      exportTemplate: { id: 'e1' },
      errors: [{ id: 'x' }],
    };
    expect(findJobEntry(rich, 'q1', { isSingle: true })).toBe(rich);
  });

  test.each([
    { id: 'q1' },
    { ID: 'q1' },
    { queue_id: 'q1' },
    { queueId: 'q1' },
    { queueid: 'q1' },
    { taskQueueId: 'q1' },
    { automation_queue_id: 'q1' },
  ])('is found by the ID in %j', (run) => {
    // The ID of the task and other keys that contain "id" do not identify a run.
    const others = { task_id: 'q1', id_type: 'q1', queue_ids: 'q1', idle: 'q1', paid: 'q1' };
    expect(findJobEntry({ tasks: [others, run] }, 'q1')).toBe(run);
  });

  test('is found by a number, and beside entries that are not objects', () => {
    const run = { id: 7, status: 'start' };
    expect(findJobEntry({ tasks: [null, 'x', [7], run] }, '7', { isSingle: true })).toBe(run);
    expect(findJobEntries({ tasks: [null, 'x', [7], run, entry] })).toEqual([run, entry]);
    expect(findJobEntries({ type: 'success' })).toEqual([]);
    expect(findJobEntries(undefined)).toEqual([]);
  });

  test.each([
    'start_at',
    'end_date',
    'total_rows',
    'total_record_proceed',
    'processed_rows',
    'complete',
    'queue_id',
  ])('a status with %s is a run, whatever its ID', (key) => {
    const run = { status: 'Phase 7', [key]: null };
    expect(findJobEntry(run, 'q1', { isSingle: true })).toBe(run);
    expect(findJobEntry({ status: 'success', run }, 'q1', { isSingle: true })).toBe(run);
    expect(findJobEntry(run, 'q1')).toBeUndefined();
  });

  test.each([
    { status: 'success', created_at: '2025-01-01 00:00:00', task_id: 't1' },
    { total_tasks: 1, start_at: null },
    { a: { status: 'x', id: 1 }, b: { status: 'y', id: 2 } },
  ])('shows no run, or more than one: %j', (body) => {
    expect(findJobEntry(body, 'q1', { isSingle: true })).toBeUndefined();
  });

  test('uses a single entry for a request for one run, but not for a list of all runs', () => {
    const nameless = { status: 'Complete', total_rows: 1 };
    expect(findJobEntry({ items: [nameless] }, 'q1', { isSingle: true })).toBe(nameless);
    expect(findJobEntry({ item: nameless }, 'q1', { isSingle: true })).toBe(nameless);
    expect(findJobEntry({ items: [nameless] }, 'q1')).toBeUndefined();
    expect(findJobEntry({ items: [nameless, nameless] }, 'q1', { isSingle: true })).toBeUndefined();
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
    expect(findJobEntry(body, 'q1', { isSingle: true })).toBeUndefined(),
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
  [{ data: { queue: 'q1' } }, 'q1'],
  [{ template: { id: 't1' }, queueEntry: { id: 'q1' } }, 'q1'],
  [{ queue: { idle: 'x' }, item: { id: 'q1' } }, 'q1'],
  // The same word at the start of another key.
  [{ queue_id_type: 'x', id: 'q1' }, 'q1'],
  [{ id: 't1', taskQueueId: 'q1' }, 'q1'],
  [{ execution_id: 'q1' }, 'q1'],
  [{ executionId: 'q1' }, 'q1'],
  [{ jobId: 'q1' }, 'q1'],
  [{ run_id: 'q1' }, 'q1'],
  [{ importId: 'q1' }, 'q1'],
  [{ export_id: 'q1' }, 'q1'],
  [{ idle: 'x', queue_name: 'x', import_ids: 'x', task_id: 'x', paid: 'x' }, undefined],
  [{ queue_id: { a: 1 }, id: 'q1' }, 'q1'],
  [{ queue_id: true, id: 'q1' }, 'q1'],
  [{ id: { a: 1 } }, undefined],
  [{ data: ['q1'] }, undefined],
  [{ data: [{ id: 'q1' }, 'x'] }, undefined],
  [{ type: 'success', msg: 'Started' }, undefined],
  [{ queue_id: '' }, undefined],
  [{ queue_id: null, id: {} }, undefined],
  ['q1', undefined],
  [null, undefined],
])('the queue ID in %j is %s', (body, id) => expect(findQueueId(body)).toBe(id));
