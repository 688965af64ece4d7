import { type JobState, isFinalState, readJobState } from '../../../../nodes/service/jobs/jobState';

/**
 * The specification names only `start`, `Processing` and `Complete`. The other words are common ones: the stem, the
 * participle and the noun of each.
 */
const WORDS: Record<JobState, string[]> = {
  failed: [
    'Fail, Failed, Failure, Error, Errors, Errored, Fault, Faulted, Crash, Crashed, Reject, Rejected',
    'Timeout, Time out, Timed out, Timed_Out, TIMED-OUT, Expire, Expired',
    'Complete with errors, Completed with errors, COMPLETED_WITH_ERRORS',
  ],
  stopped: [
    'Terminate, Terminated, Terminating, Termination, Cancel, Canceled, Cancelled, Cancellation, Stop, Stopped',
    'Abort, Aborted, Kill, Killed, Interrupt, Interrupted, Halt, Halted',
  ],
  finished: [
    'Complete, Completed, Completion, Finish, Finished, Done, Success, Successful, Successfully, Succeed',
    'Succeeded, End, Ended, Pass, Passed, Processed, Ready, Imported, Exported, Execute, Executed, Generated',
  ],
  running: [
    'start, Start, Started, Process, Processing, Queue, Queued, Active, In progress, in_progress, IN__PROGRESS',
    'New, Waiting, Pending, Starting',
  ],
  unknown: [
    // More words than one, or a part of a word, may mean anything.
    'No error, Error-free, Failover, Unsuccessful, Not stopped, Nonstop, Stop requested, Cancelable, Incomplete, Not finished',
    'Ready to start, Endless, Restart, Not active, Renew, New import, Still running, Starting up, Ing, Phase 7',
  ],
};

test.each(Object.entries(WORDS))('%s', (state, lines) => {
  const words = lines.flatMap((line) => line.split(', '));
  expect(words.map((status) => [status, readJobState({ status })])).toEqual(
    words.map((status) => [status, state]),
  );
});

test.each([undefined, null, '', 3, {}])('the status %j is unknown', (status) =>
  expect(readJobState({ status })).toBe('unknown'),
);

test('a run ends finished, failed or stopped', () => {
  expect((['finished', 'failed', 'stopped', 'running', 'unknown'] as const).map(isFinalState)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

test('the case of a status and the spaces around it do not matter', () => {
  expect([' Complete ', 'fAILED\n', '\tprocessing'].map((status) => readJobState({ status }))).toEqual([
    'finished',
    'failed',
    'running',
  ]);
});

/** A status with a reason, of a run that has ended. */
test.each<[JobState, string[]]>([
  [
    'failed',
    [
      'Fail: disk full',
      'Failed: disk full',
      'Failure: disk full',
      'Partial failure',
      'Partially failed',
      'Partially_Failed: 3 rows',
      'Error: disk full',
      'Errored after 3 rows',
      'Errors: 3',
      'Errors=10',
      'Failed (3)',
      'Unsuccessful',
      'Unsuccessfully ended',
      'Rejected by the administrator',
      'Timeout after 60 s',
      'Time out after 60 s',
      'Timed out after 60 s',
      'Complete with 1 error',
      'Completed with 12 errors',
      'Completed with 1 failure',
      'Completed with 305 failures',
    ],
  ],
  [
    'stopped',
    [
      'Canceled by user',
      'Cancelled by user',
      'Terminated (admin)',
      'Aborted: no errors',
      'Stopped by Ada',
      'Killed: 9',
    ],
  ],
  [
    'finished',
    [
      'Error free',
      'Errors: 0',
      'Errors=0',
      'Errors 0',
      'Failed (0)',
      'Rejected: 0, imported: 9',
      'Complete with 0 errors',
      'Completed with 0 failures',
      '',
      'Phase 7',
      'No errors',
      'Finished without any errors',
      'Complete, no errors',
      'Complete, 0 rows failed',
      'Complete, error log available',
      'Rows: 5, errors: 0',
      'Imported 9, failed 0',
      'Not cancelled',
      'Failover ready',
    ],
  ],
])('at its end, a run has %s', (state, words) => {
  for (const status of words) {
    expect([status, readJobState({ status, end_at: '2025-01-01 00:00:00' })]).toEqual([status, state]);
    expect([status, readJobState({ status }, true)]).toEqual([status, state]);
    // "Processing, 1 error" may go on.
    expect([status, readJobState({ status })]).toEqual([status, 'unknown']);
  }
});

/** Spec: queue entries. What shows the end of a run with a status that is not known. */
test.each<[object, JobState]>([
  [{ download_url: 'https://example.com/a.csv' }, 'finished'],
  [{ end_date: '2025-01-01 00:00:00' }, 'finished'],
  [{ end_at: '2025-01-01 00:00:00' }, 'finished'],
  [{ download_url: '', end_date: null, end_at: undefined }, 'unknown'],
  [{ download_url: false, end_date: false }, 'unknown'],
  [{ total_rows: 3, processed_rows: 3 }, 'finished'],
  [{ total_rows: 3, processed_rows: 4 }, 'finished'],
  [{ total_rows: 3, processed_rows: 2 }, 'unknown'],
  [{ total_rows: 0, processed_rows: 0 }, 'unknown'],
  [{ total_records: '3', total_record_proceed: '3' }, 'finished'],
  [{ total_records: 3, total_record_proceed: 2 }, 'unknown'],
  [{ complete: '100' }, 'finished'],
  [{ complete: 99 }, 'unknown'],
  // The file of an export is still to come.
  [{ complete: 100, download_url: null }, 'unknown'],
])('a run of unknown status with %j: %s', (progress, state) => {
  expect(readJobState({ status: 'Phase 7', ...progress })).toBe(state);
  expect(readJobState(progress as Record<string, unknown>)).toBe(state);
});

test('the progress does not change a known status, but a run whose rows all have errors has failed', () => {
  const allRows = { total_rows: 3, processed_rows: 3, end_date: '2025-01-01 00:00:00' };
  expect(readJobState({ status: 'Processing', ...allRows })).toBe('running');
  expect(readJobState({ status: 'Exporting', complete: 100 })).toBe('running');
  expect(readJobState({ status: 'Processing', ...allRows, error_rows: 3 })).toBe('running');
  expect(readJobState({ status: 'Complete', ...allRows, error_rows: 2 })).toBe('finished');
  expect(readJobState({ status: 'Complete', ...allRows, error_rows: 3 })).toBe('failed');
  expect(readJobState({ status: 'Phase 7', ...allRows, error_rows: 3 })).toBe('failed');
  expect(readJobState({ status: 'Complete', total_rows: 0, error_rows: 0 })).toBe('finished');
});
