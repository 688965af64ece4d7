import { isEmpty, mapValues } from 'lodash';
import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import type { Client } from '../client';
import { raceAbort } from '../client/concurrency/wait';
import { resolveStoredFilter } from '../client/connections/resolveFilter';
import { webhookEndpoints } from '../client/endpoints/catalogue';
import { AbortedError, ApiError, isNotFoundByService, mapExplanation } from '../client/errors/apiError';
import type { Table } from '../client/fields/table';
import { parseCredential } from '../client/http/credential';
import { asThrown, formatForError } from '../client/input/inputError';
import { isObject, tryOr } from '../client/input/values';
import { hasConnectionNames } from '../client/records/displayNames';
import { RECORD_EVENTS, type Subscription, parseSubscriptions } from '../client/responses/schemas';
import { CREDENTIAL_TYPE, createNodeClient } from '../n8n/http/port';
import { toNodeError } from '../n8n/operation/toNodeError';
import {
  type AuthenticationInput,
  type EventSource,
  type Verdict,
  type WebhookIdentity,
  authenticate,
  createWebhookIdentity,
  readNodeKey,
} from './authenticate';
import {
  type Decision,
  type Facts,
  type RecordResult,
  decide,
  namesFields,
  selectNeededFields,
} from './decide';
import { type TriggerForm, type TriggerParameters, readTriggerForm } from './form';
import {
  type Delivery,
  type StaticData,
  getTriggerMemory,
  hashDelivery,
  readStaticData,
  readStoredTable,
  storeTables,
  writeDelivery,
} from './staticData';

/** The HTTP status with which a POST is refused, and the reason for the response and the log. */
interface Refusal {
  status: number;
  reason: string;
}

export const isRefusal = (value: object): value is Refusal => 'reason' in value;

const createBadRequest = (reason: string): Refusal => ({ status: 400, reason });

/** The event in a body. A flat body names neither table nor event: they follow from the address. */
export type ReceivedEvent = Omit<Delivery, keyof EventSource> & Partial<EventSource>;

const toText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** Keys in one name of a form that are read: `field_41_val[0][id]` has three. A longer name is taken as it is. */
const MAX_KEYS = 4;

/** Reads `field_42[city]` as `['field_42', 'city']`. */
function splitName(name: string): string[] {
  const keys = /^[^[]+(\[[^\]]*\])+$/.test(name) ? name.slice(0, -1).split(/\]?\[/) : [name];
  return keys.length <= MAX_KEYS ? keys : [name];
}

type FormPair = [keys: string[], value: string];

/** Joins the entries of a form in one object. A name that is repeated, or that ends with `[]`, has a list of values. */
function joinEntries(entries: FormPair[]): Record<string, unknown> {
  const groups = new Map<string, FormPair[]>();
  for (const [[name = '', ...keys], value] of entries) {
    const key = name === '' ? String(groups.size) : name;
    const group = groups.get(key);
    if (group) group.push([keys, value]);
    else groups.set(key, [[keys, value]]);
  }
  const join = (group: FormPair[]) => {
    const values = group.filter(([keys]) => keys.length === 0).map(([, value]) => value);
    if (values.length === 0) return joinEntries(group);
    return values.length === 1 ? values[0] : values;
  };
  return Object.fromEntries([...groups].map(([key, group]) => [key, join(group)]));
}

const parseForm = (text: string): Record<string, unknown> =>
  joinEntries(Array.from(new URLSearchParams(text), ([name, value]) => [splitName(name), value]));

/** Parses JSON or a form, with any content type. n8n itself drops the names of a form after the first 1,000. */
const parseText = (text: string): unknown =>
  tryOr(() => JSON.parse(text) as unknown, undefined) ?? parseForm(text);

/** A list may come as a map with the numbers of its entries as keys (evidence 18: a multiple choice with several values). */
const toList = (value: unknown): unknown =>
  isObject(value) && !isEmpty(value) && Object.keys(value).every((key) => /^\d+$/.test(key))
    ? Object.values(value)
    : value;

/** Bytes of the largest delivery. A record of the service has some kB. n8n itself refuses bodies of more than 16 MB. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;

/**
 * Reads the event in the bytes of a POST request, or returns the reason why they hold none. Never throws. The body is as
 * the documentation shows it (spec: Events), or the record alone, as JSON or as a form (evidence 18: services were met
 * that send `id=b6WQk9NrBZ&field_40=Lamp&field_41[0]=K2ejq1Rw9B`).
 */
export function parseDelivery(bytes: Uint8Array, maxBytes = MAX_BODY_BYTES): ReceivedEvent | Refusal {
  if (bytes.length > maxBytes) return { status: 413, reason: 'the body is too large' };
  const body = parseText(new TextDecoder().decode(bytes));
  if (!isObject(body)) return createBadRequest('the body is neither a JSON object nor a form');
  const isDocumented = 'event_type' in body || ('record' in body && !('id' in body));
  const {
    event_type: type,
    table_id: tableId,
    table_name,
    timestamp,
    record,
  } = isDocumented ? body : { record: body };
  const event = RECORD_EVENTS.find((one) => one === type);
  if (type !== undefined && !event) return createBadRequest('"event_type" is not INSERT, UPDATE or DELETE');
  if (!isObject(record)) return createBadRequest('"record" is missing');
  const recordId = toText(record.id);
  if (recordId === '') return createBadRequest('the record has no id');
  return {
    event,
    tableId: toText(tableId) || undefined,
    tableName: toText(table_name),
    recordId,
    record: mapValues(record, toList),
    timestamp: toText(timestamp),
  };
}

/**
 * Milliseconds from the arrival of a delivery to the end of all reads for it. The service waits for the response, and
 * the spec does not define its timeout (spec: Events, "not shown").
 * Open point: `deliveryRetries`.
 */
const DEADLINE_MS = 8_000;

/** Reads what one delivery needs from the service, with one deadline for all its reads. Create it when the delivery arrives. */
export class DeliveryReader {
  private readonly deadline = AbortSignal.timeout(DEADLINE_MS);
  private client?: Promise<Client>;

  constructor(private readonly context: IWebhookFunctions) {}

  /**
   * Runs a read until the deadline. A request that was sent then ends without effect. It may be the request of an
   * execution that reads the same fields and waits longer.
   * @throws AbortedError at the deadline; the error of the read
   */
  async read<T>(use: (client: Client) => Promise<T>): Promise<T> {
    if (this.deadline.aborted) throw new AbortedError();
    this.client ??= createNodeClient(this.context, { timeout: DEADLINE_MS, signal: this.deadline });
    let result: { value: T } | undefined;
    const pending = this.client.then(use).then((value) => (result = { value }));
    await raceAbort(pending, this.deadline);
    // The compiler does not see that `pending` sets the result.
    const ended = result as { value: T } | undefined;
    if (!ended) throw new AbortedError();
    return ended.value;
  }
}

/** Whether the same delivery may succeed later: no response, the rate limit, or an error of the service. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === undefined || error.status === 429 || error.status >= 500);

/** Adds event, record and table to the error of an authentic event, so that the user can find the record. */
export function withDeliveryDetails(
  { event, tableId, tableName, recordId }: Delivery,
  error: unknown,
): unknown {
  const which = `The event was ${event} of record ${recordId} in table ${formatForError(tableName || tableId)}.`;
  return mapExplanation(error, ({ description }) => ({ description: `${description} ${which}` }));
}

/** Reads the current record from the service. Never throws. */
async function fetchRecord(reader: DeliveryReader, { tableId, recordId }: Delivery): Promise<RecordResult> {
  try {
    const values = await reader.read((client) => client.records.read(tableId, recordId));
    return { status: 'found', values };
  } catch (error) {
    return isNotFoundByService(error) ? { status: 'notFound' } : { status: 'failed', error: error as Error };
  }
}

/**
 * Reads the fields of the table. If that fails, returns the stored fields; undefined without stored fields if the form
 * names none, because the record is only not simplified then.
 * @throws the error if there are no stored fields and the form names some
 */
const fetchCurrentTable = (
  reader: DeliveryReader,
  { delivery, parameters, table }: Facts,
): Promise<Table | undefined> =>
  reader
    .read((client) => client.tables.get(delivery.tableId))
    .catch((error: unknown) => {
      if (table || !namesFields(parameters)) return table;
      throw asThrown(error);
    });

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

async function fetchFacts(
  reader: DeliveryReader,
  facts: Facts,
  fact: 'table' | 'record',
): Promise<Partial<Facts>> {
  const { parameters, delivery, table } = facts;
  // Stored fields may be out of date, which matters for the fields that the form names.
  const isTableNeeded = fact === 'table' || namesFields(parameters);
  const [fields, record] = await Promise.all([
    isTableNeeded ? fetchCurrentTable(reader, facts) : undefined,
    fact === 'record' ? fetchRecord(reader, delivery) : undefined,
  ]);
  return {
    ...(fields && { parameters: await resolveNames(reader, parameters, fields) }),
    table: fields ?? table,
    isTableFresh: true,
    ...(record && { record }),
  };
}

/**
 * Decides about a delivery, and reads each fact that the decision needs from the service, at most once. `remember` is
 * called in the same step as the decision, without a wait between them. Otherwise two deliveries that arrive at once could
 * both be decided without the other one.
 * @throws ApiError if the fields of the table cannot be read, InputError if the form does not fit them
 */
export async function decideWithService(
  reader: DeliveryReader,
  given: Facts,
  remember: (decision: Decision, facts: Facts) => void,
): Promise<Decision> {
  const fetched = new Set<string>();
  let facts = given;
  for (;;) {
    const decision = decide(facts);
    if (decision.action !== 'fetch') {
      remember(decision, facts);
      return decision;
    }
    const { fact } = decision;
    // The client caches the fields. Without this error, a decision that needs them again would repeat without end.
    if (fetched.has(fact)) throw new Error(`The ${fact} was read and is asked for again`);
    fetched.add(fact);
    facts = { ...facts, ...(await fetchFacts(reader, facts, fact)) };
  }
}

/** Reads the subscriptions on one table, in one request. */
export async function fetchTableSubscriptions(
  reader: DeliveryReader,
  tableId: string,
): Promise<Subscription[]> {
  const query = { data_table_id: tableId };
  const { body } = await reader.read((client) => client.call(webhookEndpoints.list, { query }));
  return parseSubscriptions(body) ?? [];
}

/** The HTTP response to the service, and the item that starts the workflow if there is one. */
interface DeliveryResponse {
  status: number;
  reason: string;
  item?: Record<string, unknown>;
}

/** One delivery with the n8n context, the trigger's identity and its static data. */
interface DeliveryContext {
  context: IWebhookFunctions;
  reader: DeliveryReader;
  delivery: Delivery;
  identity: WebhookIdentity;
  staticData: StaticData;
}

/** Stores an accepted delivery in the memory of the process and in the static data. */
function remember(
  { context, delivery, identity, staticData }: DeliveryContext,
  decision: Decision,
  { memory, hash, parameters, table, isTableFresh, now }: Facts,
): void {
  if (decision.action === 'fail' || decision.action === 'refuse') return;
  if (hash !== undefined && parameters.ignoreDuplicates) memory.seen.add(hash);
  if (decision.values) memory.lastValues.remember(delivery, decision.values);
  const needed = isTableFresh &&
    table && { id: table.id, fields: selectNeededFields(parameters, table, now) };
  const changes = needed ? { fields: storeTables(staticData.fields, [needed]) } : {};
  writeDelivery(context.getWorkflowStaticData('node'), identity.owner, memory, changes);
}

async function processDelivery(
  received: DeliveryContext,
  parameters: TriggerParameters,
  verdict: Verdict,
): Promise<DeliveryResponse> {
  const { context, delivery, identity, reader, staticData } = received;
  const facts: Facts = {
    delivery,
    parameters,
    verdict,
    hash: hashDelivery(delivery),
    memory: getTriggerMemory(`${identity.owner}/${context.getMode()}`, staticData),
    now: new Date(),
    table: readStoredTable(staticData.fields, delivery.tableId),
  };
  const decision = await decideWithService(reader, facts, (made, known) => remember(received, made, known));
  if (decision.action === 'fail') throw decision.error;
  if (decision.action === 'start') return { status: 200, reason: 'Received', item: decision.item };
  return decision.action === 'refuse' ? decision : { status: 200, reason: decision.reason };
}

function readAuthenticationInput(
  context: IWebhookFunctions,
  { tableId, event }: ReceivedEvent,
  staticData: StaticData,
  { tableIds = [], events = [], withoutToken = 'refuse' }: Partial<TriggerParameters> = {},
): AuthenticationInput {
  const { token } = context.getQueryData() as { token?: unknown };
  return {
    named: { tableId, event },
    // A token that is given twice is parsed as an array, which is never valid.
    token: token === undefined || typeof token === 'string' ? token : '',
    path: context.getRequestObject().path,
    webhookUrl: context.getNodeWebhookUrl('default') ?? '',
    staticData,
    parameters: { tableIds, events },
    acceptUnverified: withoutToken !== 'refuse',
  };
}

async function respondToDelivery(
  context: IWebhookFunctions,
  received: ReceivedEvent,
  { parameters, error: formError }: TriggerForm,
): Promise<DeliveryResponse> {
  const reader = new DeliveryReader(context);
  const credential = await context
    .getCredentials(CREDENTIAL_TYPE)
    .then(parseCredential)
    .catch(() => undefined);
  const identity = credential && tryOr(() => createWebhookIdentity(context, credential), undefined);
  if (!identity) return { status: 503, reason: 'the credential cannot be used' };
  const staticData = readStaticData(context.getWorkflowStaticData('node'), identity.owner);
  const input = readAuthenticationInput(context, received, staticData, parameters);
  const found = await authenticate(input, identity, readNodeKey(context), (tableId) =>
    fetchTableSubscriptions(reader, tableId),
  ).catch(() => 'unknown' as const);
  if (found === 'unknown') return { status: 503, reason: 'its token cannot be checked at the moment' };
  if (!found) return { status: 401, reason: 'its token is missing or wrong' };
  const delivery: Delivery = { ...received, ...found.source };
  try {
    if (!parameters) throw formError;
    const serviceTimeZone = credential.timeZone;
    const known = { context, reader, delivery, identity, staticData };
    return await processDelivery(known, { ...parameters, serviceTimeZone }, found.verdict);
  } catch (error) {
    if (isTemporary(error)) return { status: 503, reason: 'the record cannot be read at the moment' };
    throw toNodeError(context.getNode(), withDeliveryDetails(delivery, error));
  }
}

/** Sends the HTTP response to the service. An error thrown by `webhook()` would create a failed execution instead. */
function sendResponse(
  context: IWebhookFunctions,
  { status, reason, item }: DeliveryResponse,
): IWebhookResponseData {
  const isAccepted = status === 200;
  if (!isAccepted) {
    context.logger.warn(`Record Database Trigger: a delivery was refused: ${reason}`, { status });
  }
  const body = { type: isAccepted ? 'success' : 'error', msg: isAccepted ? reason : `Refused: ${reason}` };
  context.getResponseObject().status(status).json(body);
  return { noWebhookResponse: true, ...(item && { workflowData: [[{ json: item as IDataObject }]] }) };
}

/**
 * Handles one POST of the service (spec: Events) and returns the item that starts the workflow. A refused delivery
 * is answered with an HTTP status and starts nothing. If an authentic event cannot be processed, for example because
 * the filter names a removed field or the key has no permission, the error is thrown: n8n answers 500, shows a
 * failed execution, and a repeated delivery is processed again.
 */
export async function handleDelivery(context: IWebhookFunctions): Promise<IWebhookResponseData> {
  const form = readTriggerForm(context);
  const delivery = parseDelivery(context.getRequestObject().rawBody ?? new Uint8Array());
  return sendResponse(
    context,
    isRefusal(delivery) ? delivery : await respondToDelivery(context, delivery, form),
  );
}
