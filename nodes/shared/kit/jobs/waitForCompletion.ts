import type { IDataObject } from 'n8n-workflow';
import { formatSeconds } from '../../model/input/formatSeconds';
import {
  findJobEntry,
  isFinalState,
  type JobEntry,
  type JobState,
  readJobState,
} from '../../model/responses/jobState';
import { ApiError } from '../../transport/errors/apiError';
import { poll } from '../../transport/poll';
import type { Item } from '../operation/item';
import { fetchUnlessGone, findListedJob } from './findJob';
import type { JobPlan } from './jobPlan';
import type { StartedJob } from './startJob';
import type { WaitSettings } from './waitForm';

interface JobObservation {
  entry: JobEntry;
  state: JobState | 'notShown';
}

/**
 * Milliseconds after which a run that no endpoint returns counts as gone. A run may be missing while the service
 * moves it from the list of active runs to the list of ended runs.
 */
const MAX_UNSEEN_MS = 30_000;

async function fetchJobEntry(
  item: Item,
  { one, others = [], idName }: JobPlan,
  id: string,
): Promise<JobEntry | undefined> {
  for (const endpoint of [one, ...others]) {
    const entry = findJobEntry(await fetchUnlessGone(item, endpoint, { path: { [idName]: id } }), id, true);
    if (entry) return entry;
  }
  return undefined;
}

/** Reads the state of one run. Stores the last entry that the service returned and the time at which it was active. */
class JobWatcher {
  lastEntry: JobEntry;
  private seenAt = performance.now();

  constructor(
    private readonly item: Item,
    private readonly plan: JobPlan,
    private readonly job: StartedJob,
    private readonly limitMs: number,
  ) {
    this.lastEntry = job.response;
  }

  /** Returns the final state, or undefined while the run may still be running. */
  async check(): Promise<JobObservation | undefined> {
    const { item, plan } = this;
    const entry = await fetchJobEntry(item, plan, this.job.id);
    if (entry) {
      this.lastEntry = entry;
      const state = readJobState(entry);
      if (isFinalState(state)) return { entry, state };
      if (state === 'running' || (await this.isActive())) {
        this.seenAt = performance.now();
        return undefined;
      }
    }
    const ended = plan.ended && (await findListedJob(item, plan.ended, this.job.id));
    // The list holds completed runs only, so every status in it is final.
    if (ended) {
      const state = readJobState(ended, true);
      return { entry: ended, state: isFinalState(state) ? state : 'finished' };
    }
    const isGone = performance.now() - this.seenAt >= Math.min(MAX_UNSEEN_MS, this.limitMs);
    return isGone ? { entry: this.lastEntry, state: 'notShown' } : undefined;
  }

  /** Whether a run with an unknown status may be running: it is listed as active, or no list of active runs exists. */
  private async isActive(): Promise<boolean> {
    const { active } = this.plan;
    return !active || (await findListedJob(this.item, active, this.job.id)) !== undefined;
  }
}

function createUnfinishedError(plan: JobPlan, id: string, message: string, more = ''): ApiError {
  const description =
    `Its queue ID is ${id}: get its state later with the operation "${plan.lookAgain}". It was started, so do not start it a second time. ${more}`.trim();
  return new ApiError({ message, description, details: { [plan.idName]: id } });
}

/** Wraps an error of reading the state. The run itself was started and may succeed. */
function toWaitError(plan: JobPlan, id: string, error: unknown): Error {
  if (!(error instanceof ApiError)) return error as Error;
  const { message, description } = error.explanation;
  return createUnfinishedError(
    plan,
    id,
    `The ${plan.noun} was started, but waiting for it failed: ${message}`,
    description,
  );
}

function createFailedRunError(plan: JobPlan, id: string, { entry, state }: JobObservation): ApiError {
  const rows = Number(entry.error_rows) > 0 ? `, and errors in ${Number(entry.error_rows)} rows` : '';
  return new ApiError({
    message: `The ${plan.noun} ended with the status "${String(entry.status ?? state)}"${rows}`,
    description: `Check the reason with the operation "${plan.lookAgain}" (queue ID ${id}) or in the service, then run it again. To return the entry instead of an error, change "If the Run Fails".`,
    details: { [plan.idName]: id },
  });
}

/**
 * Waits until a run has ended.
 * @returns the final entry with `_completion`: 'finished', 'failed' or 'stopped'; 'running' after a timeout if the
 * settings return the entry; 'notShown' if the service stopped returning the run without a final status
 * @throws ApiError with the queue ID
 */
export async function waitForCompletion(
  item: Item,
  plan: JobPlan,
  { limitSeconds, failsAsError, timesOutAsError }: WaitSettings,
  job: StartedJob,
): Promise<IDataObject> {
  const { id } = job;
  const watcher = new JobWatcher(item, plan, job, limitSeconds * 1000);
  const result = await poll({
    check: () => watcher.check(),
    signal: item.context.getExecutionCancelSignal?.(),
    timeoutMs: limitSeconds * 1000,
  }).catch((error: unknown) => {
    throw toWaitError(plan, id, error);
  });
  if (result.kind === 'cancelled') {
    throw createUnfinishedError(plan, id, `The execution was cancelled while the ${plan.noun} was running`);
  }
  if (result.kind === 'timeout') {
    if (!timesOutAsError) return { ...(watcher.lastEntry as IDataObject), _completion: 'running' };
    const message = `The ${plan.noun} did not end within ${formatSeconds(limitSeconds)}`;
    const remedy = 'To wait longer, raise "Maximum Wait (Seconds)" in the options.';
    throw createUnfinishedError(plan, id, message, remedy);
  }
  const { entry, state } = result.value;
  if (failsAsError && (state === 'failed' || state === 'stopped')) {
    throw createFailedRunError(plan, id, result.value);
  }
  return { ...(entry as IDataObject), _completion: state };
}
