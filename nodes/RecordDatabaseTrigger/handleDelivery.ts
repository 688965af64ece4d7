/** Handles a delivery, from its request to the item that starts the workflow. */
import { map, omit } from 'lodash';
import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { createNodeClient } from '../n8n/http/port';
import { toNodeError } from '../n8n/operation/toNodeError';
import { findTableByNameOrId, findTableName, MAX_TABLES_AGE_MS } from '../n8n/trigger/startup';
import {
  addConnectedTexts,
  addUserNames,
  ensureComparedFieldsExist,
  type FilterTree,
  parseConnectedPath,
  getTable,
  hasRecordNames,
  readConnectedFields,
  readRecord,
  type RecordValues,
  replaceNamesInStoredFilter,
  type Table,
  UnknownFieldError,
} from '../records';
import {
  ApiError,
  asThrown,
  type Client,
  formatForError,
  InputError,
  isNotFoundByService,
  rewordError,
  waitUnlessAborted,
} from '../service';
import { findTableEvent, readIdentityAndData } from './authenticate';
import {
  type Decision,
  type DeliveryFacts,
  EMPTY_FORM,
  compileForm,
  decideOnDelivery,
  decideRecordReading,
  isFromOtherTable,
  formUsesField,
  refuseUnwantedDelivery,
} from './decide';
import { type TriggerParameters, readTriggerParameters } from './form';
import { isRefusal, parseDelivery } from './parseDelivery';
import { type Delivery, type StaticData, getTriggerMemory, deliveryQueue, storeDelivery } from './staticData';

/**
 * A refused delivery (spec: Events) gets an HTTP status and starts nothing. If a delivery cannot be processed, for
 * example because the filter names a removed field, the error is thrown: n8n answers 500 and shows a failed execution,
 * and the service may deliver again.
 */
export async function handleDelivery(context: IWebhookFunctions): Promise<IWebhookResponseData> {
  const response = await authenticateAndProcess(context).catch((error: unknown) => {
    throw toNodeError(context.getNode(), error);
  });
  return sendResponse(context, response);
}

/**
 * The time for all readings of a delivery. The service waits for the response, and the spec does not define how long.
 * See silences.md: `deliveryRetries`.
 */
const MAX_READING_MS = 8_000;

/** Creates a client whose readings must all end within `MAX_READING_MS` from now. */
export const createDeliveryClient = (context: IWebhookFunctions): Promise<Client> =>
  createNodeClient(context, { timeout: MAX_READING_MS, signal: AbortSignal.timeout(MAX_READING_MS) });

/**
 * A request that was already sent continues after the deadline: another execution may wait for the same answer.
 * @throws ApiError at the deadline, or the error of a failed reading
 */
export async function failAtDeadline<T>({ signal: deadline }: Client, run: () => Promise<T>): Promise<T> {
  const read = async () => (deadline?.aborted ? undefined : waitUnlessAborted(run(), deadline));
  const value = await read().catch((error: unknown) => {
    // If the deadline cancels the reading, the error below replaces the error of the reading.
    if (!deadline?.aborted) throw asThrown(error);
  });
  if (!deadline?.aborted) return value as T;
  throw new ApiError({
    message: 'The record could not be read within 8 seconds',
    description:
      'The service is slow, or the request limit of the minute is used up. The trigger waits no longer, because the service waits for the response to its delivery.',
  });
}

export function addDeliveryToError(
  { event, tableId, tableName, recordId }: Delivery,
  error: unknown,
): unknown {
  const which = `The event was ${event} of record ${recordId} in table ${formatForError(tableName || tableId)}.`;
  return rewordError(error, ({ description }) => ({ description: `${description} ${which}` }));
}

type InitialFacts = Pick<DeliveryFacts, 'delivery' | 'parameters' | 'memory'>;

/**
 * If the fields of the table cannot be read, those of an earlier delivery are used. Without an earlier delivery, a form
 * that names no field still works.
 * @param maxAgeMs maximum age of cached fields. If they lack a field that the form names, the fields are read again
 * @throws InputError for a form that does not fit the table, or the error of the reading
 */
async function readTableAndCompileForm(
  client: Client,
  known: InitialFacts,
  maxAgeMs?: number,
): Promise<Pick<DeliveryFacts, 'table' | 'form'>> {
  const { delivery, parameters, memory } = known;
  const { tableId, receivedAt } = delivery;
  const read = failAtDeadline(client, () => getTable(client, tableId, { maxAgeMs }));
  const table = await read.catch((error: unknown) => {
    const earlier = memory.tables.get(tableId);
    if (earlier || !formUsesField(parameters)) return earlier;
    throw asThrown(error);
  });
  if (!table) return { form: EMPTY_FORM };
  memory.tables.set(tableId, table);
  try {
    const filter = await resolveFilterNames(client, parameters.filter, table);
    const settings = {
      now: new Date(receivedAt),
      serviceTimeZone: client.serviceTimeZone,
      isUpdate: delivery.event === 'UPDATE',
    };
    return { table, form: compileForm({ ...parameters, filter }, table, settings) };
  } catch (error) {
    if (maxAgeMs === undefined || !(error instanceof UnknownFieldError)) throw asThrown(error);
    return readTableAndCompileForm(client, known);
  }
}

const resolveFilterNames = async (client: Client, filter: FilterTree | undefined, table: Table) =>
  filter && hasRecordNames(filter, table)
    ? failAtDeadline(client, () => replaceNamesInStoredFilter(client, filter, table))
    : filter;

/** @returns undefined if the service has no such record, or if the reading fails and the record is not required */
async function fetchRecord(
  client: Client,
  { delivery: { tableId, recordId }, table, form }: DeliveryFacts,
  isRequired: boolean,
): Promise<RecordValues | undefined> {
  const read = failAtDeadline(client, async () => {
    const record = await readRecord(client, tableId, recordId, { table });
    const fields = form.filterFields.map(({ field }) => field);
    if (table) await ensureComparedFieldsExist(client, table, fields, [record]);
    return record;
  });
  return read.catch((error: unknown) => {
    if (isRequired && !isNotFoundByService(error)) throw asThrown(error);
    return undefined;
  });
}

/**
 * Returns for each record only the texts of its connected records and users. Returns an empty list after a failure, so
 * that the workflow starts nevertheless.
 */
async function fetchConnectedTexts(client: Client, table: Table, records: RecordValues[]) {
  const read = async () => addUserNames(client, table, await addConnectedTexts(client, table, records));
  const shown = await failAtDeadline(client, read).catch(() => []);
  return shown.map((record, index) => omit(record, Object.keys(records[index]!)));
}

/**
 * With several chosen tables, the form names connected fields of all tables: this function skips fields that begin with
 * a connection of another table. @returns null if the reading fails. @throws InputError for an unknown field
 */
async function fetchConnectedFields(
  client: Client,
  { connectedFields, output, displayNames, tableIds }: TriggerParameters,
  table: Table,
  records: RecordValues[],
): Promise<RecordValues | null> {
  const isFieldOfOtherTable = (name: string) =>
    tableIds.length > 1 && parseConnectedPath(table, name) === undefined;
  const paths = connectedFields.filter((name) => !isFieldOfOtherTable(name));
  const form = { simplified: output === 'record', displayNames };
  const read = () => readConnectedFields(client, table, paths, records.slice(0, 1), form);
  const connected = await failAtDeadline(client, read).catch((error: unknown) => {
    if (error instanceof InputError) throw error;
  });
  return connected?.[0] ?? null;
}

/**
 * @throws ApiError if the fields or a required record cannot be read
 * @throws InputError if the form does not fit the table
 */
export async function processDelivery(
  client: Client,
  known: InitialFacts,
  store: (accepted: Decision) => void,
): Promise<Decision> {
  const { delivery, parameters } = known;
  const { tableId } = delivery;
  // A refusal needs no reading, so it works while the service cannot be reached.
  const refusal = refuseUnwantedDelivery({ ...known, form: EMPTY_FORM });
  if (refusal) return refusal;
  const [tableName, form] = await Promise.all([
    // A delivery may lack the name of its table (evidence 18). If the name cannot be read, `_table` is the ID.
    delivery.tableName || failAtDeadline(client, () => findTableName(client, tableId)).catch(() => ''),
    readTableAndCompileForm(client, known, MAX_TABLES_AGE_MS),
  ]);
  let facts: DeliveryFacts = { ...known, ...form, delivery: { ...delivery, tableName } };
  // The delivery may contain fields that are newer than the cached fields, so the fields are read again.
  if (isFromOtherTable(facts)) facts = { ...facts, ...(await readTableAndCompileForm(client, known)) };
  const reading = decideRecordReading(facts);
  if (reading) {
    const [currentForm, record] = await Promise.all([
      // The form may name a field that is newer than the cached fields, so the fields are read again.
      formUsesField(parameters) ? readTableAndCompileForm(client, known) : undefined,
      fetchRecord(client, facts, reading === 'required'),
    ]);
    facts = { ...facts, ...currentForm, record };
  }
  const { table } = facts;
  const { records } = decideOnDelivery(facts);
  if (records && table && parameters.output === 'record')
    facts = { ...facts, texts: await fetchConnectedTexts(client, table, records) };
  if (records && table && parameters.connectedFields.length > 0)
    facts = { ...facts, connected: await fetchConnectedFields(client, parameters, table, records) };

  // Nothing may be awaited from here on: two equal deliveries at once would both be decided before one is stored.
  const decision = decideOnDelivery(facts);
  if (decision.status === 200) store(decision);
  return decision;
}

/**
 * Replaces the names of tables by the stored IDs. Without stored IDs, the tables are looked up by name. If the look-up
 * fails, the names stay.
 */
async function resolveTableNames(
  client: Client,
  parameters: TriggerParameters,
  { tables }: StaticData,
): Promise<TriggerParameters> {
  const { tableIds: names } = parameters;
  if (tables.length > 0) return { ...parameters, tableIds: tables };
  const find = () => Promise.all(names.map((name) => findTableByNameOrId(client, name)));
  const tableIds = await failAtDeadline(client, async () => map(await find(), 'id')).catch(() => names);
  return { ...parameters, tableIds };
}

async function authenticateAndProcess(context: IWebhookFunctions): Promise<Decision> {
  const receivedAt = Date.now();
  const form = readTriggerParameters(context);
  const client = await createDeliveryClient(context);
  const { identity, data, staticData, saveStaticData } = readIdentityAndData(context, client.credential);
  const parameters = await resolveTableNames(client, form, staticData);
  const { startBy, tableIds, events } = parameters;
  const { token } = context.getQueryData() as { token?: unknown };
  // A pasted address has no token: the form names table and event. If the query contains `token` twice, n8n returns
  // a list, which is never a valid token.
  const source =
    startBy === 'address'
      ? { tableId: tableIds[0] ?? '', event: events[0] ?? 'INSERT' }
      : findTableEvent(typeof token === 'string' ? token : '', tableIds, staticData, identity);
  if (!source) return { status: 401, reason: 'the token of the address is missing or wrong' };
  const delivery = parseDelivery(context.getRequestObject().rawBody ?? new Uint8Array(), source, receivedAt);
  if (isRefusal(delivery)) return delivery;
  const memory = getTriggerMemory(`${identity.staticDataOwnerId}/${context.getMode()}`, staticData);
  const store = ({ values }: Decision) => saveStaticData(storeDelivery(memory, delivery, values, data));
  const handle = () => processDelivery(client, { delivery, parameters, memory }, store);
  const subject = [delivery.tableId, delivery.recordId];
  return deliveryQueue.runTask(identity.staticDataOwnerId, subject, handle).catch((error: unknown) => {
    throw asThrown(addDeliveryToError(delivery, error));
  });
}

/** Sends a refusal as a response: an error thrown by `webhook()` would create a failed execution. */
function sendResponse(context: IWebhookFunctions, { status, reason, item }: Decision): IWebhookResponseData {
  const isAccepted = status === 200;
  if (!isAccepted)
    context.logger.warn(`Record Database Trigger: a delivery was refused: ${reason}`, { status });
  const body = { type: isAccepted ? 'success' : 'error', msg: isAccepted ? reason : `Refused: ${reason}` };
  context.getResponseObject().status(status).json(body);
  return { noWebhookResponse: true, ...(item && { workflowData: [[{ json: item as IDataObject }]] }) };
}
