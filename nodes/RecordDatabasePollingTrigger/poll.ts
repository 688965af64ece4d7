/**
 * One poll: parameters, state, reading, comparison, items. `pollChanges` runs these steps in this order. Each step has
 * a file, which is entered once.
 */
import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { createNodeClient } from '../n8n/http/port';
import { toNodeError } from '../n8n/operation/toNodeError';
import { findNamedTables } from '../n8n/trigger/namedTable';
import { isRestart } from '../n8n/trigger/restart';
import { hashValue } from '../records';
import { asThrown, explainForbidden, type Client, InputError, memory, raceAbort } from '../service';
import { type PollParameters, readPollParameters } from './form';
import { createItems } from './items';
import {
  type LoadedState,
  type PollState,
  formatPollState,
  parsePollState,
  readKnownTables,
  readState,
  writeState,
} from './pollState';
import { type PollRead, hashScope, readChanges } from './readChanges';
import { readTestItems } from './testItems';

/**
 * Handles one call of n8n: reads what has changed since the last poll, and returns the items that start the workflow,
 * or null if nothing has changed. A test in the editor returns the newest records.
 */
export async function pollChanges(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  const isFirst = takeFirst(context);
  try {
    const form = readPollParameters(context);
    const client = await createNodeClient(context);
    const parameters = await resolveTable(context, client, form, isFirst);
    if (context.getMode() === 'manual') return [await readTestItems(client, parameters)];

    const poller = getPoller(context);
    if (poller.isPolling) return null;
    poller.isPolling = true;
    try {
      return await pollOnce(context, client, parameters, poller);
    } finally {
      poller.isPolling = false;
    }
  } catch (error) {
    const failure = toNodeError(context.getNode(), error);
    if (!isFirst || !isRestart(context)) throw failure;
    context.logger.warn(`Record Database Polling Trigger: the poll at the start failed: ${failure.message}`);
    return null;
  }
}

const getPollCount = memory.attached<IPollFunctions, { polls: number }>(
  'pollCounts',
  { to: 'context', holds: 'the number of polls since n8n has started the workflow' },
  () => ({ polls: 0 }),
);

/**
 * Whether this is the first poll since n8n has started the workflow. n8n uses the context of the first poll for all later
 * ones. After an error of the first poll at its own start, n8n 2.41 tries again for 15 seconds and then never, not even at
 * its next start; n8n 1 tries again later and later, up to a day. The next poll reports an outage that lasts.
 */
const takeFirst = (context: IPollFunctions): boolean => ++getPollCount(context).polls === 1;

/**
 * Replaces the name of a table by its ID. The first poll reads which table has the name. @throws InputError if the table has
 * another name now
 */
async function resolveTable(
  context: IPollFunctions,
  client: Client,
  parameters: PollParameters,
  isFirst: boolean,
): Promise<PollParameters> {
  if (parameters.detection === 'log' || parameters.tableName === undefined) return parameters;
  const { tableName } = parameters;
  const known = readKnownTables(context);
  const isKnown = Object.hasOwn(known, tableName) && !isFirst;
  const named = isKnown ? known : await findNamedTables(client, [tableName], known);
  return { ...parameters, tableId: String(named[tableName]) };
}

/** The table that the name in the form means, to be stored. */
const listNamedTable = (parameters: PollParameters): Pick<PollState, 'tables'> =>
  parameters.detection === 'log' || parameters.tableName === undefined
    ? {}
    : { tables: { [parameters.tableName]: parameters.tableId } };

/** Runs one poll of a published workflow: reads the state and the service, compares, and stores the new state. */
async function pollOnce(
  context: IPollFunctions,
  client: Client,
  parameters: PollParameters,
  poller: Poller,
): Promise<INodeExecutionData[][] | null> {
  const now = Date.now();
  const scope = hashScope(client, parameters);
  const given = readState(context, scope);
  const base = hashInput(parameters, given);
  const stored = findUnsaved(poller, base, scope) ?? given;
  const input = stored === given ? base : hashInput(parameters, stored);
  if (poller.input !== input) Object.assign(poller, { input, running: undefined, rest: undefined });

  const reading = await readOrContinue(context, client, poller, () =>
    readChanges(client, parameters, { ...stored, now }),
  );
  if (!reading) return null;
  const { changes, state, rest } = reading.compare(stored.state);
  // An error leaves the state as it was, so the next poll finds the same changes.
  const items = await createItems(client, parameters, {
    changes,
    table: reading.table,
    pollNumber: state.pollCount,
  });

  const named = { ...state, ...listNamedTable(parameters) };
  const text = writeState(context, named);
  const isSaved = items.length > 0;
  Object.assign(poller, {
    input: hashInput(parameters, { state: named, isFirst: false }),
    rest,
    unsaved: isSaved ? undefined : { base, text },
  });
  return isSaved ? [items] : null;
}

/**
 * The state that the last poll has left, if it returned nothing and n8n hands over what it handed over then. If polls are jobs
 * of its scheduler (N8N_SCHEDULER_POLL_TRIGGERS_ENABLED, n8n 2.41), n8n reads the static data for each poll, and saves
 * it only with items.
 */
function findUnsaved({ unsaved }: Poller, base: string, scope: string): LoadedState | undefined {
  const state = unsaved?.base === base ? parsePollState(unsaved.text, scope) : undefined;
  return state && { state, isFirst: false };
}

/** What a process keeps of one polling node between its polls. */
interface Poller {
  /** Whether a poll is running: n8n does not wait for a poll before it starts the next one. */
  isPolling: boolean;
  /** A hash of the parameters and the state that `running` and `rest` belong to. */
  input?: string;
  /**
   * A reading that lasts longer than its poll. It continues, and the next poll takes its result, however much later
   * that is.
   */
  running?: Promise<PollRead>;
  /** Number of polls that have waited for `running` in vain. */
  unfinishedPolls: number;
  /** What the last poll has read and not returned. */
  rest?: PollRead;
  /** The state that the last poll has left without items, and the hash of the one that it got. */
  unsaved?: { base: string; text: string };
}

const pollers = memory.store<Poller, 'node'>('pollers', {
  per: 'node',
  holds: 'that a poll runs, a reading that lasts longer than its poll, and a state that n8n has not saved',
  max: 10_000,
});

function getPoller(context: IPollFunctions): Poller {
  const key = `${String(context.getWorkflow().id)}/${context.getNode().id}`;
  return pollers.getOrCreate(key, [], () => ({
    isPolling: false,
    unfinishedPolls: 0,
  }));
}

const HASH_LENGTH = 16;

/** Identifies what a reading was made for. A reading for other parameters or another state is not used. */
const hashInput = (parameters: PollParameters, { state, isFirst }: LoadedState): string =>
  hashValue([parameters, !isFirst && formatPollState(state)], HASH_LENGTH);

/** Maximum milliseconds of a poll. Newer versions of n8n end a poll after 45 seconds. */
const MAX_POLL_MS = 36_000;

/** Milliseconds for which what a poll has read and not returned is used. Its values may be outdated then. */
const REST_MS = 3_600_000;

/**
 * Reads the service, or takes what earlier polls have read. Undefined if the poll ends before the reading.
 * @throws InputError if the poll before has ended before it as well
 */
async function readOrContinue(
  context: IPollFunctions,
  client: Client,
  poller: Poller,
  start: () => Promise<PollRead>,
): Promise<PollRead | undefined> {
  if (poller.rest && Date.now() - poller.rest.readAt < REST_MS) return poller.rest;
  if (!poller.running) {
    poller.unfinishedPolls = 0;
    poller.running = start();
    // A failure that no poll waits for is thrown by the next one.
    poller.running.catch(() => undefined);
  }
  let reading: PollRead | undefined;
  try {
    reading = await waitForReading(context, poller.running);
  } catch (error) {
    poller.running = undefined;
    throw asThrown(await explainForbidden(client, error));
  }
  if (reading) poller.running = undefined;
  else recordUnfinishedPoll(poller);
  return reading;
}

/** Waits for a reading. Undefined if the poll must end before the result. */
async function waitForReading(
  context: IPollFunctions,
  running: Promise<PollRead>,
): Promise<PollRead | undefined> {
  // Versions of n8n before 2.40 have no `getPollBudgetMs`.
  const budget = 'getPollBudgetMs' in context ? context.getPollBudgetMs() * 0.8 : MAX_POLL_MS;
  let reading: PollRead | undefined;
  const pending = running.then((result) => (reading = result));
  await raceAbort(pending, AbortSignal.timeout(Math.min(budget, MAX_POLL_MS)));
  return reading;
}

/** Counts a poll that ends before its reading. @throws InputError from the second one on */
function recordUnfinishedPoll(poller: Poller): void {
  poller.unfinishedPolls++;
  if (poller.unfinishedPolls < 2) return;
  throw new InputError(
    `${poller.unfinishedPolls} polls in a row have ended before the reading that the first one began`,
    'It continues, and the next poll returns what it finds. If this is repeated: poll less often, choose a filter that matches fewer records, or let other workflows use the API key less.',
  );
}
