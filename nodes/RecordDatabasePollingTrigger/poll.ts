/** The polls of the trigger: when one starts, what it reads, and what it returns. */
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { createNodeClient } from '../n8n/http/port';
import { toNodeError } from '../n8n/operation/toNodeError';
import { findTableName, isRestart } from '../n8n/trigger/startup';
import { createTriggerItemBuilder } from '../n8n/trigger/triggerItem';
import { hashValue, readConnectedFields, retryWithFreshFields } from '../records';
import {
  asObject,
  asThrown,
  type Client,
  explainForbidden,
  InputError,
  memory,
  waitUnlessAborted,
  readLog,
} from '../service';
import { findChangesByComparison } from './byComparison';
import { findRecordChangesByDate, findNewLogEntries, getChangeEvent } from './byDate';
import { type PollParameters, readPollParameters } from './form';
import {
  type Change,
  type PollResult,
  type PollState,
  createPollState,
  readPollState,
  writePollState,
} from './pollState';
import { RecordSource } from './recordSource';

/**
 * Returns the items that start the workflow, or null if nothing has changed. A test in the editor returns the newest
 * records.
 * If the first poll after a start of n8n fails, the error is logged, not thrown. After a thrown error, n8n 2.41 would
 * repeat this poll for 15 seconds, and then never poll again. n8n 1 would repeat it at growing intervals of up to a
 * day. If the outage continues, the next poll throws the error.
 */
export async function pollChanges(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  if (context.getMode() === 'manual')
    return readTestItems(context).catch((error: unknown) => {
      throw toNodeError(context.getNode(), error);
    });

  const poller = getPollMemory(context);
  // n8n passes the same context object to all polls until it restarts, so a new object means a first poll.
  const isFirst = poller.context !== context;
  Object.assign(poller, { context });
  if (poller.isPolling) return null;
  poller.isPolling = true;
  try {
    return await pollOnce(context, poller);
  } catch (thrown) {
    const error = toNodeError(context.getNode(), thrown, isFirst);
    if (!isFirst || !isRestart(context)) throw error;
    context.logger.warn(`Record Database Polling Trigger: the poll at the start failed: ${error.message}`);
    return null;
  } finally {
    poller.isPolling = false;
  }
}

/** The items of the changes that a poll has found, and the state for the next poll. */
type PollOutput = Pick<PollResult, 'state'> & { items: INodeExecutionData[] };

/** What a process keeps of one polling node between its polls. */
interface PollMemory {
  /** Whether a poll runs: n8n does not wait for the end of a poll before it starts the next poll. */
  isPolling: boolean;
  context?: IPollFunctions;
  /** A reading that takes longer than its poll. The next poll uses its result if form and state are still the same. */
  running?: { input: string; found: Promise<PollOutput> };
  /**
   * The state after a poll that returned no items. `savedHash` is a hash of the state before that poll. With
   * N8N_SCHEDULER_POLL_TRIGGERS_ENABLED (n8n 2.41), n8n does not save the state of such a poll.
   */
  unsaved?: { savedHash: string; state: PollState };
}

const pollMemories = memory.store<PollMemory, 'node'>('pollers', {
  per: 'node',
  holds: 'that a poll runs, a reading that lasts longer than its poll, and a state that n8n has not saved',
  max: 10_000,
});

const getPollMemory = (context: IPollFunctions): PollMemory =>
  pollMemories.getOrCreate(`${String(context.getWorkflow().id)}/${context.getNode().id}`, [], () => ({
    isPolling: false,
  }));

/** Number of characters. */
const HASH_LENGTH = 16;

/**
 * Hashes the settings that define the watched data. After a change of the hash, the stored state is ignored, and the
 * next poll is a first poll. For polling by date, `floor` is valid for any filter, so the filter is not hashed. For
 * polling by comparison, the user's email is hashed, because another user may see other records. A credential with a
 * token contains no email.
 */
export function hashPollScope(
  { credential: { baseUrl, appId, hasUserLogin, email } }: Pick<Client, 'credential'>,
  parameters: PollParameters,
): string {
  const { detection } = parameters;
  const watched =
    detection === 'log'
      ? [parameters.log]
      : detection === 'date'
        ? [parameters.tableId, parameters.dateField]
        : [
            parameters.tableId,
            parameters.filterInputs,
            parameters.changedFields,
            ...(hasUserLogin ? [email] : []),
          ];
  return hashValue([detection, baseUrl, appId, watched], HASH_LENGTH);
}

async function pollOnce(context: IPollFunctions, poller: PollMemory): Promise<INodeExecutionData[][] | null> {
  const client = await createNodeClient(context);
  const parameters = await readPollParameters(context, client);
  const scope = hashPollScope(client, parameters);
  const saved = readPollState(context, scope);
  const savedHash = hashValue([scope, saved.text], HASH_LENGTH);
  const stored = poller.unsaved?.savedHash === savedHash ? poller.unsaved.state : saved.state;

  // `filterInputs` is hashed in place of the filter, whose values may differ at each poll.
  const input = hashValue([{ ...parameters, filter: undefined }, savedHash], HASH_LENGTH);
  // The reading also creates the items, because Connected Fields may need many requests. If a request fails, the state
  // does not change, and the next poll finds the same changes.
  const read = async () => {
    const found = await findChanges(client, parameters, { stored, scope, now: Date.now() });
    return { items: await createItems(client, parameters, found), state: found.state };
  };
  if (poller.running?.input !== input) poller.running = { input, found: read() };
  const found = await waitForReading(context, poller.running.found).catch(async (error: unknown) => {
    poller.running = undefined;
    throw asThrown(await explainForbidden(client, error));
  });
  if (!found) return null;
  poller.running = undefined;

  const { items, state } = found;
  writePollState(context, state);
  poller.unsaved = items.length > 0 ? undefined : { savedHash, state };
  return items.length > 0 ? [items] : null;
}

/**
 * @param stored undefined at a first poll
 * @example
 * const parameters = { detection: 'log', log: 'emails', returnExisting: false, overlap: 300 };
 * (await findChanges(client, parameters, { stored, scope, now })).changes; // [{ event: 'ENTRY', key: 'q1W…1', … }]
 * @throws InputError for settings that do not fit the table, the login or the Service Time Zone
 * @throws ApiError for a failed request
 */
export async function findChanges(
  client: Client,
  parameters: PollParameters,
  { stored, scope, now }: { stored: PollState | undefined; scope: string; now: number },
): Promise<PollResult> {
  const returnsNothing = !stored && !parameters.returnExisting;
  const poll = { state: stored ?? createPollState(scope), returnsNothing, now };
  const { detection } = parameters;
  const found = await retryWithFreshFields(client, () =>
    detection === 'log'
      ? findNewLogEntries(client, parameters, poll)
      : detection === 'date'
        ? findRecordChangesByDate(client, parameters, poll)
        : findChangesByComparison(client, parameters, poll),
  );
  const changes = returnsNothing ? [] : found.changes;
  const pollCount = poll.state.pollCount + (changes.length > 0 ? 1 : 0);
  return { ...found, changes, state: { ...found.state, pollCount } };
}

/** 80 % of the 45 seconds after which newer versions of n8n end a poll. */
const MAX_POLL_MS = 36_000;

/** @returns undefined if the poll must end before the reading has ended */
function waitForReading(context: IPollFunctions, poll: Promise<PollOutput>): Promise<PollOutput | undefined> {
  // Versions of n8n before 2.40 have no `getPollBudgetMs`.
  const budget = 'getPollBudgetMs' in context ? context.getPollBudgetMs() * 0.8 : MAX_POLL_MS;
  // If the reading fails after this poll has ended, the next poll throws the error.
  return waitUnlessAborted(poll, AbortSignal.timeout(Math.min(budget, MAX_POLL_MS)));
}

async function createItems(
  client: Client,
  parameters: PollParameters,
  { changes, table, state }: Omit<PollResult, 'state'> & { state?: PollState },
): Promise<INodeExecutionData[]> {
  if (changes.length === 0) return [];
  // If n8n ends before it has saved the state, the next poll returns the same changes with the same IDs. A later change
  // to the same values gets another ID, because `pollCount` is greater.
  const createEventId = ({ event, key, values }: Change) =>
    hashValue([event, table?.id ?? 'log', key, values, state?.pollCount], HASH_LENGTH);
  const toItem = (json: object): INodeExecutionData => ({ json: json as IDataObject });
  if (parameters.detection === 'log' || !table)
    return changes.map((change) => toItem({ ...change.values, _eventId: createEventId(change) }));

  const { columns, connectedFields, output, displayNames } = parameters;
  const slugs = columns.map((column) => table.requireField(column, 'Fields to Return').slug);
  const createItem = createTriggerItemBuilder(parameters, { slugs, table, client });
  const tableName = await findTableName(client, table.id);
  const timestamp = new Date().toISOString();
  const records = changes.map(({ values }) => values);
  const shape = { simplified: output === 'record', displayNames };
  const connected = await readConnectedFields(client, table, connectedFields, records, shape);
  return changes.map((change, index) => {
    const { event, values, changedFields: _changedFields, before: _before } = change;
    const notes = { _changedFields, _before, _eventId: createEventId(change) };
    const about = { event, tableId: table.id, tableName, timestamp };
    return toItem(createItem(about, values, notes, connected[index]));
  });
}

const MAX_TEST_ITEMS = 5;

/** More than `MAX_TEST_ITEMS`, because some records of the page may not match the filter. */
const TEST_PAGE_SIZE = 50;

async function runTestPoll(client: Client, parameters: PollParameters): Promise<Omit<PollResult, 'state'>> {
  if (parameters.detection === 'log') {
    const { entries } = await readLog(client, { log: parameters.log, limit: MAX_TEST_ITEMS });
    return { changes: entries.map((entry) => ({ event: 'ENTRY', key: '', values: asObject(entry) })) };
  }
  const source = await RecordSource.create(client, parameters, Date.now());
  const notes = parameters.detection === 'snapshot' && { changedFields: null };
  const records = (await source.readNewestRecords(TEST_PAGE_SIZE)).slice(0, MAX_TEST_ITEMS);
  const event = getChangeEvent(source);
  const changes = records.map((values) => ({ event, key: values.id, values, ...notes }));
  return { changes, table: source.table };
}

/** A test does not use the state. @throws InputError if there are no records or log entries */
async function readTestItems(context: IPollFunctions): Promise<INodeExecutionData[][]> {
  const client = await createNodeClient(context);
  const parameters = await readPollParameters(context, client);
  const newest = await retryWithFreshFields(client, () => runTestPoll(client, parameters));
  const items = await createItems(client, parameters, newest);
  if (items.length > 0) return [items];
  throw new InputError(
    'Nothing was found that the trigger could return',
    parameters.detection === 'log'
      ? 'The log is empty.'
      : 'Create a record in the table, or change the filter so that it matches one.',
  );
}
