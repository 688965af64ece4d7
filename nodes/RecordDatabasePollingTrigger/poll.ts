import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { createNodeClient } from '../n8n/http/port';
import { toNodeError } from '../n8n/operation/toNodeError';
import { findNamedTable, isRestart } from '../n8n/trigger/startup';
import { hashValue } from '../records';
import { asThrown, explainForbidden, type Client, memory, raceAbort } from '../service';
import { compareRecords } from './byComparison';
import { findDatedRecords, findLogEntries } from './byDate';
import { type PollParameters, readPollParameters } from './form';
import { createItems, readTestItems } from './items';
import { type PollState, formatPollState, readState, writeState } from './pollState';
import { type Found, type ReadInput, type Watch, hashScope } from './watch';

/**
 * Handles one call of n8n: reads what has changed since the last poll, and returns the items that start the workflow, or
 * null if nothing has changed. A test in the editor returns the newest records.
 *
 * After an error of the first poll at its own start, n8n 2.41 tries again for 15 seconds and then never, not even at its
 * next start; n8n 1 tries again later and later, up to a day. So the first poll only logs a warning. If the outage
 * continues, the next poll throws the error.
 */
export async function pollChanges(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  if (context.getMode() === 'manual')
    return withNodeError(context, async () => {
      const client = await createNodeClient(context);
      return [await readTestItems(client, await readParameters(context, client))];
    });

  const poller = getPoller(context);
  // n8n uses the context of the first poll for all later ones.
  const isFirst = poller.context !== context;
  Object.assign(poller, { context });
  if (poller.isPolling) return null;
  poller.isPolling = true;
  try {
    return await withNodeError(context, () => pollOnce(context, poller));
  } catch (error) {
    if (!isFirst || !isRestart(context)) throw asThrown(error);
    context.logger.warn(
      `Record Database Polling Trigger: the poll at the start failed: ${(error as Error).message}`,
    );
    return null;
  } finally {
    poller.isPolling = false;
  }
}

const withNodeError = <T>(context: IPollFunctions, run: () => Promise<T>): Promise<T> =>
  run().catch((error: unknown) => {
    throw toNodeError(context.getNode(), error);
  });

/** Reads the form, and replaces the name of a table by its ID. */
async function readParameters(context: IPollFunctions, client: Client): Promise<PollParameters> {
  const parameters = readPollParameters(context);
  if (parameters.detection === 'log' || parameters.tableName === undefined) return parameters;
  return { ...parameters, tableId: (await findNamedTable(client, parameters.tableName)).id };
}

/** What a process keeps of one polling node between its polls. */
interface Poller {
  /** Whether a poll is running: n8n does not wait for a poll before it starts the next one. */
  isPolling: boolean;
  /** The context of the last poll. */
  context?: IPollFunctions;
  /**
   * A reading that takes longer than its poll. It continues, and the next poll with the same form and state uses its
   * result.
   */
  running?: { input: string; found: Promise<Found> };
  /**
   * The state after the last poll, if that returned no items, and a hash of the state before it. If polls are jobs of
   * n8n's scheduler (N8N_SCHEDULER_POLL_TRIGGERS_ENABLED, n8n 2.41), n8n reads the static data for each poll, and saves
   * it only with items.
   */
  unsaved?: { given: string; state: PollState };
}

const pollers = memory.store<Poller, 'node'>('pollers', {
  per: 'node',
  holds: 'that a poll runs, a reading that lasts longer than its poll, and a state that n8n has not saved',
  max: 10_000,
});

const getPoller = (context: IPollFunctions): Poller =>
  pollers.getOrCreate(`${String(context.getWorkflow().id)}/${context.getNode().id}`, [], () => ({
    isPolling: false,
  }));

const HASH_LENGTH = 16;

/** Runs one poll of a published workflow: reads the state and the service, and stores the new state. */
async function pollOnce(context: IPollFunctions, poller: Poller): Promise<INodeExecutionData[][] | null> {
  const client = await createNodeClient(context);
  const parameters = await readParameters(context, client);
  const scope = hashScope(client, parameters);
  const saved = readState(context, scope);
  const given = hashValue([scope, saved && formatPollState(saved)], HASH_LENGTH);
  const stored = poller.unsaved?.given === given ? poller.unsaved.state : saved;

  // The values of the filter may be others at each poll: see `filterInputs`.
  const form = { ...parameters, filter: undefined };
  const input = hashValue([form, scope, stored && formatPollState(stored)], HASH_LENGTH);
  if (poller.running?.input !== input)
    poller.running = { input, found: findChanges(client, parameters, { stored, scope, now: Date.now() }) };
  const found = await waitFor(context, poller.running.found).catch(async (error: unknown) => {
    poller.running = undefined;
    throw asThrown(await explainForbidden(client, error));
  });
  if (!found) return null;
  poller.running = undefined;

  // An error leaves the state as it was, so the next poll finds the same changes.
  const items = await createItems(client, parameters, found);
  writeState(context, found.state);
  poller.unsaved = items.length > 0 ? undefined : { given, state: found.state };
  return items.length > 0 ? [items] : null;
}

/**
 * Finds what has changed since the state was stored.
 * @example
 * const watch = { detection: 'log', log: 'emails', returnExisting: false, overlap: 300 };
 * (await findChanges(client, watch, { stored, scope, now })).changes; // [{ event: 'ENTRY', key: 'q1W…1', values: { … } }]
 * @throws InputError for settings that do not fit the table, the login or the Service Time Zone; ApiError for a failed
 *   request
 */
export function findChanges(client: Client, watch: Watch, input: ReadInput): Promise<Found> {
  if (watch.detection === 'log') return findLogEntries(client, watch, input);
  return watch.detection === 'date'
    ? findDatedRecords(client, watch, input)
    : compareRecords(client, watch, input);
}

/** Maximum milliseconds of a poll. Newer versions of n8n end a poll after 45 seconds. */
const MAX_POLL_MS = 36_000;

/** Waits for a reading. Undefined if the poll must end before the result. */
async function waitFor(context: IPollFunctions, running: Promise<Found>): Promise<Found | undefined> {
  // Versions of n8n before 2.40 have no `getPollBudgetMs`.
  const budget = 'getPollBudgetMs' in context ? context.getPollBudgetMs() * 0.8 : MAX_POLL_MS;
  let found: Found | undefined;
  const pending = running.then((result) => (found = result));
  // A failure that no poll waits for is thrown by the next one.
  pending.catch(() => undefined);
  await raceAbort(pending, AbortSignal.timeout(Math.min(budget, MAX_POLL_MS)));
  return found;
}
