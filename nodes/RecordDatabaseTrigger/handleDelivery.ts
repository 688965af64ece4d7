/** Handles a delivery, from its request to the item that starts the workflow. */
import { omitBy } from 'lodash';
import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { createNodeClient } from '../n8n/http/port';
import { toNodeError } from '../n8n/operation/toNodeError';
import { findNamedTable, findTableName, TABLES_AGE_MS } from '../n8n/trigger/startup';
import {
  addConnectedTexts,
  addUserTexts,
  findConnectedPath,
  getTable,
  hasConnectionNames,
  readConnectedFields,
  readRecord,
  type RecordValues,
  resolveStoredFilter,
  type Table,
} from '../records';
import {
  ApiError,
  asThrown,
  type Client,
  formatForError,
  InputError,
  isNotFoundByService,
  mapExplanation,
  raceAbort,
} from '../service';
import { createWebhookIdentity, findSource } from './authenticate';
import {
  type Decision,
  type Facts,
  type MissingFact,
  type RecordResult,
  decide,
  namesFields,
} from './decide';
import { type TriggerParameters, readTriggerParameters } from './form';
import { isRefusal, parseDelivery } from './parseDelivery';
import { type Delivery, type StaticData, getTriggerMemory, readStaticData, writeValues } from './staticData';

/**
 * Handles one POST of the service (spec: Events) and returns the item that starts the workflow. A refused delivery
 * is answered with an HTTP status and starts nothing. If an event cannot be processed, for example because the filter
 * names a removed field, or the credential or the form cannot be read, the error is thrown: n8n answers 500, shows a
 * failed execution, and a repeated delivery is processed again.
 */
export async function handleDelivery(context: IWebhookFunctions): Promise<IWebhookResponseData> {
  const response = await respondToDelivery(context).catch((error: unknown) => {
    throw toNodeError(context.getNode(), error);
  });
  return sendResponse(context, response);
}

/**
 * Milliseconds from the arrival of a delivery to the end of all reads for it. The service waits for the response, and
 * the spec does not define its timeout (spec: Events, "not shown").
 * Open point: `deliveryRetries`.
 */
const DEADLINE_MS = 8_000;

/** Reads what one delivery needs from the service, with one deadline for all its reads. Create it when the delivery arrives. */
export class DeliveryReader {
  private constructor(
    readonly client: Client,
    private readonly deadline: AbortSignal,
  ) {}

  static async create(context: IWebhookFunctions): Promise<DeliveryReader> {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    return new DeliveryReader(await createNodeClient(context, { timeout: DEADLINE_MS, signal }), signal);
  }

  /**
   * Runs a read until the deadline. A request that was already sent continues, because an execution may wait for the same
   * answer. Here its answer is ignored.
   * @throws ApiError at the deadline; the error of the read
   */
  async read<T>(use: (client: Client) => Promise<T>): Promise<T> {
    const { client, deadline } = this;
    const read = async () => (deadline.aborted ? undefined : raceAbort(use(client), deadline));
    const value = await read().catch((error: unknown) => {
      // At the deadline, the read is cancelled.
      if (!deadline.aborted) throw asThrown(error);
    });
    if (!deadline.aborted) return value as T;
    throw new ApiError({
      message: 'The record could not be read within 8 seconds',
      description:
        'The service is slow, or the request limit of the minute is used up. The trigger waits no longer, because the service waits for the response to its delivery.',
    });
  }
}

/** Adds event, record and table to the error of an authentic event, so that the user can find the record. */
export function withDeliveryDetails(
  { event, tableId, tableName, recordId }: Delivery,
  error: unknown,
): unknown {
  const which = `The event was ${event} of record ${recordId} in table ${formatForError(tableName || tableId)}.`;
  return mapExplanation(error, ({ description }) => ({ description: `${description} ${which}` }));
}

/** Reads the current record from the service. Never throws. */
async function fetchRecord(reader: DeliveryReader, { delivery, table }: Facts): Promise<RecordResult> {
  const { tableId, recordId } = delivery;
  try {
    const values = await reader.read((client) => readRecord(client, tableId, recordId, { table }));
    return { status: 'found', values };
  } catch (error) {
    return isNotFoundByService(error) ? { status: 'notFound' } : { status: 'failed', error: error as Error };
  }
}

/**
 * Reads the fields of the table. If that fails, returns those that were read last. Undefined without these if the form names
 * no field, because the record is only not simplified then.
 * @throws the error if there are no earlier fields and the form names some
 */
async function fetchTable(
  reader: DeliveryReader,
  { delivery: { tableId }, parameters, memory }: Pick<Facts, 'delivery' | 'parameters' | 'memory'>,
  maxAgeMs?: number,
): Promise<Table | undefined> {
  try {
    const table = await reader.read((client) => getTable(client, tableId, { maxAgeMs }));
    memory.tables.set(tableId, table);
    return table;
  } catch (error) {
    const known = memory.tables.get(tableId);
    if (known || !namesFields(parameters)) return known;
    throw asThrown(error);
  }
}

/** Replaces the names of records in the form's filter by their IDs. A filter without names needs no read. */
async function resolveNames(
  reader: DeliveryReader,
  parameters: TriggerParameters,
  table: Table,
): Promise<TriggerParameters> {
  const { filter } = parameters;
  if (!filter || !hasConnectionNames(filter, table)) return parameters;
  return {
    ...parameters,
    filter: await reader.read((client) => resolveStoredFilter(client, filter, table)),
  };
}

type MissingAdditions = Extract<MissingFact, { records: RecordValues[] }>;

/** Reads the texts of connected records that records lack. If that fails, the workflow still starts. */
async function fetchTexts(
  reader: DeliveryReader,
  { table, records }: MissingAdditions,
): Promise<Partial<Facts>> {
  const read = async (client: Client) =>
    addUserTexts(client, table, await addConnectedTexts(client, table, records));
  const shown = await reader.read(read).catch(() => undefined);
  const createDeliveredCheck = (index: number) => (_value: unknown, key: string) => key in records[index]!;
  return { texts: (shown ?? []).map((record, index) => omitBy(record, createDeliveredCheck(index))) };
}

/**
 * Reads the chosen fields of connected records. An unknown name may be a field of another chosen table.
 * @throws InputError for a name that is no field of a connected record
 */
async function fetchConnected(
  reader: DeliveryReader,
  { parameters }: Facts,
  { table, records }: MissingAdditions,
): Promise<Partial<Facts>> {
  const { connectedFields, output, displayNames } = parameters;
  const isFieldOfOtherTable = (name: string) =>
    parameters.tableIds.length > 1 && findConnectedPath(table, name) === undefined;
  const paths = connectedFields.filter((name) => !isFieldOfOtherTable(name));
  const form = { simplified: output === 'record', displayNames };
  const read = (client: Client) => readConnectedFields(client, table, paths, records.slice(0, 1), form);
  const connected = await reader.read(read).catch((error: unknown) => {
    if (error instanceof InputError) throw error;
    return undefined;
  });
  return { connected: connected?.[0] ?? null };
}

async function fetchFacts(
  reader: DeliveryReader,
  facts: Facts,
  missing: MissingFact,
): Promise<Partial<Facts>> {
  const { fact } = missing;
  if (fact === 'texts') return fetchTexts(reader, missing);
  if (fact === 'connected') return fetchConnected(reader, facts, missing);
  const { parameters } = facts;
  // The fields are read again, because the cached ones may lack a new field that the form names.
  const isTableNeeded = fact === 'table' || namesFields(parameters);
  const [fields, record] = await Promise.all([
    isTableNeeded ? fetchTable(reader, facts) : undefined,
    fact === 'record' ? fetchRecord(reader, facts) : undefined,
  ]);
  return {
    ...(fields && { table: fields, parameters: await resolveNames(reader, parameters, fields) }),
    isTableFresh: true,
    ...(record && { record }),
  };
}

/**
 * Decides about a delivery, and reads each fact that the decision needs from the service, at most once. `remember` is
 * called in the same step as the decision, without a wait between them. Otherwise two deliveries that arrive at once could
 * both be decided without the other one.
 * @throws ApiError if the fields of the table or a needed record cannot be read, InputError if the form does not fit them
 */
export async function decideWithService(
  reader: DeliveryReader,
  given: Facts,
  remember: (decision: Decision) => void,
): Promise<Decision> {
  const fetched = new Set<string>();
  let facts = given;
  for (;;) {
    const decision = decide(facts);
    if (!('fact' in decision)) {
      remember(decision);
      return decision;
    }
    const { fact } = decision;
    // The client caches the fields. Without this error, a decision that needs them again would repeat without end.
    if (fetched.has(fact)) throw new Error(`The ${fact} was read and is asked for again`);
    fetched.add(fact);
    facts = { ...facts, ...(await fetchFacts(reader, facts, decision)) };
  }
}

/** Decides about an authentic delivery, and stores an accepted one. */
async function processDelivery(
  context: IWebhookFunctions,
  reader: DeliveryReader,
  known: Pick<Facts, 'delivery' | 'parameters' | 'memory'>,
  owner: string,
): Promise<Decision> {
  const { delivery, memory } = known;
  const [tableName, table] = await Promise.all([
    // A flat delivery does not name its table. If the name cannot be read, the ID is used.
    delivery.tableName || reader.read((client) => findTableName(client, delivery.tableId)).catch(() => ''),
    fetchTable(reader, known, TABLES_AGE_MS),
  ]);
  const facts: Facts = { ...known, delivery: { ...delivery, tableName }, table };
  return decideWithService(reader, facts, ({ status, values }) => {
    if (status !== 200) return;
    if (!memory.lastDeliveries.isRepeated(delivery)) memory.lastDeliveries.remember(delivery);
    if (!values) return;
    memory.lastValues.remember(delivery, values);
    writeValues(context.getWorkflowStaticData('node'), owner, memory);
  });
}

/**
 * Replaces the names of tables by the IDs that the subscriptions have, or else by those in the list of tables. The result
 * has no IDs if the list cannot be read.
 */
async function resolveTables(
  reader: DeliveryReader,
  parameters: TriggerParameters,
  { tables }: StaticData,
): Promise<TriggerParameters> {
  const { namesTables, tableIds: names } = parameters;
  if (!namesTables) return parameters;
  if (tables.length > 0) return { ...parameters, tableIds: tables };
  const find = (client: Client) => Promise.all(names.map((name) => findNamedTable(client, name)));
  const found = await reader.read(find).catch(() => []);
  return { ...parameters, tableIds: found.map(({ id }) => id) };
}

async function respondToDelivery(context: IWebhookFunctions): Promise<Decision> {
  const receivedAt = Date.now();
  const form = readTriggerParameters(context);
  const reader = await DeliveryReader.create(context);
  const { credential } = reader.client;
  const identity = createWebhookIdentity(context, credential);
  const staticData = readStaticData(context.getWorkflowStaticData('node'), identity.owner);
  const parameters = await resolveTables(reader, form, staticData);
  const { startBy, tableIds, events } = parameters;
  const { token } = context.getQueryData() as { token?: unknown };
  // A pasted address has no token, one table and one event. A token that is given twice is a list, which is never valid.
  const source =
    startBy === 'address'
      ? { tableId: tableIds[0] ?? '', event: events[0] ?? 'INSERT' }
      : findSource(typeof token === 'string' ? token : '', tableIds, staticData, identity);
  if (!source) return { status: 401, reason: 'its token is missing or wrong' };
  const delivery = parseDelivery(context.getRequestObject().rawBody ?? new Uint8Array(), source, receivedAt);
  if (isRefusal(delivery)) return delivery;
  const { owner } = identity;
  const memory = getTriggerMemory(`${owner}/${context.getMode()}`, staticData);
  const known = { delivery, parameters: { ...parameters, serviceTimeZone: credential.timeZone }, memory };
  return processDelivery(context, reader, known, owner).catch((error: unknown) => {
    throw asThrown(withDeliveryDetails(delivery, error));
  });
}

/** Sends the HTTP response to the service. An error thrown by `webhook()` would create a failed execution instead. */
function sendResponse(context: IWebhookFunctions, { status, reason, item }: Decision): IWebhookResponseData {
  const isAccepted = status === 200;
  if (!isAccepted) {
    context.logger.warn(`Record Database Trigger: a delivery was refused: ${reason}`, { status });
  }
  const body = { type: isAccepted ? 'success' : 'error', msg: isAccepted ? reason : `Refused: ${reason}` };
  context.getResponseObject().status(status).json(body);
  return { noWebhookResponse: true, ...(item && { workflowData: [[{ json: item as IDataObject }]] }) };
}
