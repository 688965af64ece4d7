import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { createNodeClient } from '../n8n/http/port';
import { explainForbidden, toNodeError } from '../n8n/operation/toNodeError';
import {
  createRecordShaper,
  getCachedTables,
  hashText,
  type Table,
  type TableSummary,
  toCanonicalJson,
} from '../records';
import {
  ApiError,
  asObject,
  type Client,
  fetchLogPage,
  InputError,
  logEndpoints,
  memory,
  raceAbort,
} from '../service';
import { type PollParameters, type RecordParameters, readPollParameters } from './form';
import { type Change, type PollState, createPollState, formatPollState, parsePollState } from './pollState';
import { type PollRead, findDateField, getDateEvent, hashScope, readChanges } from './readChanges';
import { readNewest } from './recordsByDate';
import { RecordSource } from './recordSource';

const EVENT_ID_LENGTH = 16;

/** What the items of one poll have in common. */
interface ItemContext {
  /** `PollState.pollCount` with this poll; 0 for a test in the editor. */
  pollNumber: number;
  /** ISO 8601. */
  timestamp: string;
}

/**
 * Identifies a change by a hash. If n8n ends before it has saved the state of a poll, the next poll returns its changes
 * again with the same IDs. The number of the poll distinguishes two changes to the same values.
 */
const createEventId = (
  { event, key, values }: Change,
  subject: string,
  { pollNumber }: ItemContext,
): string => hashText(toCanonicalJson([event, subject, key, values, pollNumber]), EVENT_ID_LENGTH);

/** The table of the items: its fields, and its name for the output Record Only. */
interface ItemTable {
  table: Table;
  name: string;
}

/** The table of the items. Its name is read only if their output has it: one request more. */
async function readItemTable(
  client: Client,
  form: PollParameters,
  table: Table | undefined,
): Promise<ItemTable | undefined> {
  if (!table) return undefined;
  if (form.detection === 'log' || form.output === 'event') return { table, name: '' };
  const find = (tables: TableSummary[]) => tables.find(({ id }) => id === table.id);
  const found = find(await getCachedTables(client)) ?? find(await getCachedTables(client, { isFresh: true }));
  return { table, name: found?.name ?? table.id };
}

function createRecordItems(form: RecordParameters, { table, name }: ItemTable, context: ItemContext) {
  const { tableId, output, displayNames } = form;
  const slugs = form.columns.map((column) => table.field(column, 'Fields to Keep').slug);
  const shape = createRecordShaper({ slugs, displayNames, simplified: output === 'record' }, table);
  return (change: Change) => {
    const { event, values, changedFields } = change;
    const notes = {
      ...(changedFields !== undefined && { _changedFields: changedFields }),
      _eventId: createEventId(change, tableId, context),
    };
    return output === 'record'
      ? { _event: event, _table: name, ...shape(values), ...notes }
      : { event, tableId, record: shape(values), timestamp: context.timestamp, ...notes };
  };
}

/**
 * Creates the items that start the workflow: a log entry with `_eventId`, or a change of a record.
 * @param table undefined for log entries
 */
function createItems(
  changes: Change[],
  parameters: PollParameters,
  table: ItemTable | undefined,
  context: ItemContext,
): INodeExecutionData[] {
  const createJson =
    parameters.detection === 'log' || !table
      ? (change: Change) => ({ ...change.values, _eventId: createEventId(change, 'log', context) })
      : createRecordItems(parameters, table, context);
  return changes.map((change) => ({ json: createJson(change) as IDataObject }));
}

/** Number of items that a test in the editor shows. */
const TEST_ITEMS = 5;

/** Number of records that are read to select the items from. */
const TEST_PAGE_SIZE = 50;

const requireItems = (items: INodeExecutionData[], remedy: string): INodeExecutionData[] => {
  if (items.length > 0) return items;
  throw new InputError('Nothing was found that the trigger could return', remedy);
};

/**
 * Returns the newest records or log entries, for a test in the editor. It neither reads nor changes the state.
 * @throws InputError if there are none
 */
async function readTestItems(client: Client, parameters: PollParameters): Promise<INodeExecutionData[]> {
  const context = { pollNumber: 0, timestamp: new Date().toISOString() };
  if (parameters.detection === 'log') {
    const { items } = await fetchLogPage(client, logEndpoints[parameters.log], 1);
    const changes = items
      .slice(0, TEST_ITEMS)
      .map((entry): Change => ({ event: 'ENTRY', key: '', values: asObject(entry) }));
    return requireItems(createItems(changes, parameters, undefined, context), 'The log is empty.');
  }

  const source = await RecordSource.create(client, parameters);
  const isByDate = parameters.detection === 'date';
  const field = findDateField(source.table, isByDate ? parameters.dateField : 'created_at');
  const records = await readNewest(source, field, TEST_PAGE_SIZE);
  const changes = records
    .filter((values) => source.matches(values))
    .slice(0, TEST_ITEMS)
    .map((values): Change => ({
      event: getDateEvent(field),
      key: String(values.id),
      values,
      ...(!isByDate && { changedFields: null }),
    }));
  return requireItems(
    createItems(changes, parameters, await readItemTable(client, parameters, source.table), context),
    'Create a record in the table, or change the filter so that it matches one.',
  );
}

/** Maximum milliseconds of a poll. Newer versions of n8n end a poll after 45 seconds. */
const MAX_POLL_MS = 36_000;

/** Milliseconds for which what a poll has read and not returned is used. Its values may be outdated then. */
const REST_MS = 3_600_000;

const HASH_LENGTH = 16;

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
}

const pollers = memory.store<Poller, 'node'>('pollers', {
  per: 'node',
  holds: 'that a poll runs, and a reading that lasts longer than its poll',
  max: 10_000,
});

function getPoller(context: IPollFunctions): Poller {
  const key = `${String(context.getWorkflow().id)}/${context.getNode().id}`;
  return pollers.getOrCreate(key, [], () => ({
    isPolling: false,
    unfinishedPolls: 0,
  }));
}

/** The static data of the workflow and the key in it that hold a copy of the state. */
const locateCopy = (context: IPollFunctions) =>
  [context.getWorkflowStaticData('global'), `recordDatabasePollingTrigger ${context.getNode().id}`] as const;

interface LoadedState {
  state: PollState;
  /** Whether no state was stored for the watched data. */
  isFirst: boolean;
}

/**
 * Reads the state, or its copy. n8n stores a node's static data under its name, which may change. With
 * N8N_POLLER_DURABLE_CURSORS_ENABLED it stores that of each node in a table, but not what the poll at publication leaves
 * there. The copy is under the node's ID, in the data of the workflow, which is saved in both cases.
 */
function readState(context: IPollFunctions, scope: string): LoadedState {
  const [copies, key] = locateCopy(context);
  const stored =
    parsePollState(context.getWorkflowStaticData('node').state, scope) ?? parsePollState(copies[key], scope);
  return stored ? { state: stored, isFirst: false } : { state: createPollState(scope), isFirst: true };
}

/** Stores the state. n8n saves it when the poll returns items, and at publication. */
function writeState(context: IPollFunctions, state: PollState): void {
  const text = formatPollState(state);
  // n8n saves static data after any write, even of an equal value.
  for (const [data, key] of [[context.getWorkflowStaticData('node'), 'state'], locateCopy(context)] as const)
    if (data[key] !== text) data[key] = text;
}

/** Identifies what a reading was made for. A reading for other parameters or another state is not used. */
const hashInput = (parameters: PollParameters, { state, isFirst }: LoadedState): string =>
  hashText(toCanonicalJson([parameters, !isFirst && formatPollState(state)]), HASH_LENGTH);

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

/** Removes the code whose remedy is Fast Paging. A poll always reads the whole list. */
const removeFormRemedy = (error: unknown): unknown =>
  error instanceof ApiError && error.code === 'unstableList' ? error.explain({ code: undefined }) : error;

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
    throw removeFormRemedy(await explainForbidden(client, error));
  }
  if (reading) poller.running = undefined;
  else recordUnfinishedPoll(poller);
  return reading;
}

/** Runs one poll of a published workflow: reads the state and the service, compares, and stores the new state. */
async function pollOnce(
  context: IPollFunctions,
  client: Client,
  parameters: PollParameters,
  poller: Poller,
): Promise<INodeExecutionData[][] | null> {
  const now = Date.now();
  const stored = readState(context, hashScope(client, parameters));
  const input = hashInput(parameters, stored);
  if (poller.input !== input) Object.assign(poller, { input, running: undefined, rest: undefined });

  const reading = await readOrContinue(context, client, poller, () =>
    readChanges(client, parameters, { ...stored, now }),
  );
  if (!reading) return null;
  const { changes, state, rest } = reading.compare(stored.state);
  // An error leaves the state as it was, so the next poll finds the same changes.
  const table = changes.length > 0 ? await readItemTable(client, parameters, reading.table) : undefined;
  const items = createItems(changes, parameters, table, {
    pollNumber: state.pollCount,
    timestamp: new Date().toISOString(),
  });

  writeState(context, state);
  Object.assign(poller, { input: hashInput(parameters, { state, isFirst: false }), rest });
  return items.length > 0 ? [items] : null;
}

/**
 * Handles one call of n8n: reads what has changed since the last poll, and returns the items that start the workflow,
 * or null if nothing has changed. A test in the editor returns the newest records.
 */
export async function pollChanges(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
  try {
    const parameters = readPollParameters(context);
    const client = await createNodeClient(context);
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
    throw toNodeError(context.getNode(), error);
  }
}
