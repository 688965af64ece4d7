import type { IDataObject } from 'n8n-workflow';
import { entryIn, isEnd, queueIdIn, stateOf, type Entry, type RunState } from '../model/completion';
import type { Endpoint } from '../model/endpoint';
import { ApiFailure } from '../transport/errors';
import { poll } from '../transport/poll';
import { askFor, endedRun } from './findRun';
import type { Item } from './item';
import type { Wait } from './waitForm';

/** Where to see how a run is doing. */
export interface WaitPlan {
  /** "task", "import" … for messages. */
  noun: string;
  /** Shows the one run. */
  one: Endpoint;
  /** Others that do, asked where `one` does not. */
  others?: Endpoint[];
  /** Path parameter of these. */
  idName: string;
  /** The list in which a run that has ended may show up. */
  ended?: Endpoint;
  /** What to use to look again later: name of an operation. */
  lookAgain: string;
}

interface Seen {
  entry: Entry;
  state: RunState | 'notShown';
}

/** A run that no answer shows is looked for so long: it may be between two lists, or not in one yet. */
const PATIENCE_MS = 30_000;

async function shown(
  item: Item,
  { one, others = [], idName }: WaitPlan,
  id: string,
): Promise<Entry | undefined> {
  for (const endpoint of [one, ...others]) {
    const entry = entryIn(await askFor(item, endpoint, { path: { [idName]: id } }), id, true);
    if (entry) return entry;
  }
  return undefined;
}

/** Looks once for the run; remembers what it saw last, and when. */
function watcher(item: Item, plan: WaitPlan, id: string, started: Entry, limitMs: number) {
  const patience = Math.min(PATIENCE_MS, limitMs);
  let last = started;
  let seenAt = performance.now();
  return async (): Promise<Seen | undefined> => {
    const current = await shown(item, plan, id);
    if (current) {
      last = current;
      seenAt = performance.now();
      const state = stateOf(current);
      return isEnd(state) ? { entry: current, state } : undefined;
    }
    const entry = plan.ended && (await endedRun(item, plan.ended, id));
    // In the history of completed runs, every status is one of an end.
    if (entry) {
      const state = stateOf(entry, true);
      return { entry, state: isEnd(state) ? state : 'finished' };
    }
    return performance.now() - seenAt < patience ? undefined : { entry: last, state: 'notShown' };
  };
}

const later = ({ lookAgain }: WaitPlan, id: string) =>
  `Its queue ID is ${id}: look again later with the operation "${lookAgain}". It was started, so do not start it a second time.`;

function unfinished(plan: WaitPlan, id: string, message: string, more = ''): ApiFailure {
  return new ApiFailure({ message, description: `${later(plan, id)} ${more}`.trim() });
}

/** The failure of a look, told as what it is: the run itself was started, so its status is not the run's. */
function afterStart(plan: WaitPlan, id: string, error: unknown): Error {
  if (!(error instanceof ApiFailure)) return error as Error;
  const { message, description } = error.explanation;
  return unfinished(
    plan,
    id,
    `The ${plan.noun} was started, but waiting for it failed: ${message}`,
    description,
  );
}

const cancelSignal = ({ context }: Item): AbortSignal | undefined => context.getExecutionCancelSignal?.();

/**
 * Waits until the run that `answer` started has ended.
 * @returns its final entry, with `_completion`: finished, failed, stopped, or notShown where the service
 * shows the run no more and never showed an end
 * @throws ApiFailure when the time is over; it tells the queue id
 */
export async function finalEntry(
  item: Item,
  plan: WaitPlan,
  { limitSeconds, failsAsError }: Wait,
  answer: unknown,
): Promise<IDataObject> {
  const id = queueIdIn(answer);
  if (id === undefined) {
    throw new ApiFailure({
      message: `The ${plan.noun} was started, but the service did not say under which queue ID`,
      description: 'So its end cannot be waited for. Turn off "Wait for Completion". Do not start it again.',
    });
  }
  const result = await poll({
    look: watcher(item, plan, id, answer as Entry, limitSeconds * 1000),
    signal: cancelSignal(item),
    limitMs: limitSeconds * 1000,
  }).catch((error: unknown) => {
    throw afterStart(plan, id, error);
  });
  if (result.kind === 'cancelled') {
    throw unfinished(plan, id, `The execution was cancelled while the ${plan.noun} was running`);
  }
  if (result.kind === 'timeout') {
    const raise = 'Or raise "Maximum Wait (Seconds)" in the options.';
    const limit = limitSeconds === 1 ? '1 second' : `${limitSeconds} seconds`;
    throw unfinished(plan, id, `The ${plan.noun} did not end within ${limit}`, raise);
  }
  const { entry, state } = result.value;
  if (failsAsError && (state === 'failed' || state === 'stopped')) {
    const status = String(entry.status ?? state);
    const rows = Number(entry.error_rows) > 0 ? `, and errors in ${Number(entry.error_rows)} rows` : '';
    throw new ApiFailure({
      message: `The ${plan.noun} ended with the status "${status}"${rows}`,
      description: `See "${plan.lookAgain}" (queue ID ${id}) and the service for the reason, then run it again.`,
    });
  }
  return { ...(entry as IDataObject), _completion: state };
}
