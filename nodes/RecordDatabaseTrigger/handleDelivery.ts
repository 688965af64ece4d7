import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import type { Client } from '../client';
import { raceAbort } from '../client/concurrency/wait';
import { resolveStoredFilter } from '../client/connections/resolveFilter';
import { recordEndpoints, webhookEndpoints } from '../client/endpoints/catalogue';
import { AbortedError, ApiError, isNotFoundByService, mapExplanation } from '../client/errors/apiError';
import type { Table } from '../client/fields/table';
import { parseCredential } from '../client/http/credential';
import { asThrown, formatForError } from '../client/input/inputError';
import { isObject, tryOr } from '../client/input/values';
import { hasConnectionNames } from '../client/records/displayNames';
import { RECORD_EVENTS, type Subscription, parseSubscriptions } from '../client/responses/schemas';
import { CREDENTIAL_TYPE, createNodeClient } from '../n8n/http/port';
import { toNodeError } from '../n8n/operation/toNodeError';
import { type Verdict, type WebhookIdentity, authenticate, createWebhookIdentity } from './authenticate';
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

/** The parts of an incoming POST request that are read. */
interface WebhookRequest {
  body: unknown;
  rawBody?: Uint8Array;
  /** Bytes according to `Content-Length`, for versions of n8n that provide no raw body. */
  contentLength: number;
}

export const readRequest = (context: IWebhookFunctions): WebhookRequest => {
  const { rawBody, headers } = context.getRequestObject();
  return { body: context.getBodyData(), rawBody, contentLength: Number(headers['content-length']) || 0 };
};

/** The HTTP status with which a POST is refused, and the reason for the response and the log. */
interface Refusal {
  status: number;
  reason: string;
}

export const isRefusal = (value: object): value is Refusal => 'reason' in value;

const toText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** n8n parses JSON only with a JSON content type. Other content types are parsed as JSON here. */
function parseRequestBody({ body, rawBody }: WebhookRequest): unknown {
  if (isObject(body) && 'event_type' in body) return body;
  return rawBody ? tryOr(() => JSON.parse(new TextDecoder().decode(rawBody)) as unknown, undefined) : body;
}

const createBadRequest = (reason: string): Refusal => ({ status: 400, reason });

/** Bytes of the largest delivery. A record of the service has some kB. n8n itself refuses bodies of more than 16 MB. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;

/** Reads the event of a POST request, or returns the reason why it contains no valid event. Never throws. */
export function parseDelivery(request: WebhookRequest, maxBytes = MAX_BODY_BYTES): Delivery | Refusal {
  if (Math.max(request.rawBody?.length ?? 0, request.contentLength) > maxBytes) {
    return { status: 413, reason: 'the body is too large' };
  }
  const body = parseRequestBody(request);
  if (!isObject(body)) return createBadRequest('the body is not a JSON object');
  const event = RECORD_EVENTS.find((one) => one === body.event_type);
  if (!event) return createBadRequest('"event_type" is not INSERT, UPDATE or DELETE');
  const tableId = toText(body.table_id);
  if (tableId === '') return createBadRequest('"table_id" is missing');
  const { record } = body;
  if (!isObject(record)) return createBadRequest('"record" is missing');
  const recordId = toText(record.id);
  if (recordId === '') return createBadRequest('"record" has no id');
  const { table_name, timestamp } = body;
  return { event, tableId, tableName: toText(table_name), recordId, record, timestamp: toText(timestamp) };
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
  const path = { dataTableId: tableId, recordId };
  try {
    const { body } = await reader.read((client) => client.call(recordEndpoints.get, { path }));
    return { status: 'found', values: body.item };
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

async function respondToDelivery(
  context: IWebhookFunctions,
  delivery: Delivery,
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
  const received = { context, reader, delivery, identity, staticData };
  const fetchList = () => fetchTableSubscriptions(reader, delivery.tableId);
  const verdict = await authenticate(context, received, parameters, fetchList).catch(() => undefined);
  if (!verdict) return { status: 503, reason: 'its token cannot be checked at the moment' };
  if (verdict === 'invalid') return { status: 401, reason: 'its token is missing or wrong' };
  try {
    if (!parameters) throw formError;
    const serviceTimeZone = credential.timeZone;
    return await processDelivery(received, { ...parameters, serviceTimeZone }, verdict);
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
  const delivery = parseDelivery(readRequest(context));
  return sendResponse(
    context,
    isRefusal(delivery) ? delivery : await respondToDelivery(context, delivery, form),
  );
}
