import type { IWebhookFunctions } from 'n8n-workflow';
import type { Client } from '../client';
import { resolveStoredFilter } from '../client/connections/resolveFilter';
import { recordEndpoints, webhookEndpoints } from '../client/endpoints/catalogue';
import { ApiError, isServiceNotFound, mapExplanation } from '../client/errors/apiError';
import type { Table } from '../client/fields/table';
import { InputError, asThrown } from '../client/input/inputError';
import { type Subscription, parseSubscriptions } from '../client/responses/subscriptions';
import { createNodeClient } from '../n8n/http/port';
import { type Decision, type Facts, type RecordResult, decide, namesFields, usesFields } from './decide';
import type { Delivery } from './delivery';

/**
 * Milliseconds after which the requests for a delivery are aborted. The service waits for the response, and the spec
 * does not define its timeout (spec: Events, "not shown").
 */
const DEADLINE_MS = 8_000;

/** Creates a client whose calls are aborted at the delivery's deadline. */
const connect = (context: IWebhookFunctions): Promise<Client> =>
  createNodeClient(context, { timeout: DEADLINE_MS, signal: AbortSignal.timeout(DEADLINE_MS) });

/** Whether the same delivery may succeed later: no response, the rate limit, or an error of the service. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === undefined || error.status === 429 || error.status >= 500);

/** Adds event, record and table to the error of an authentic event, so that the user can find the record. */
export function withDeliveryDetails({ event, tableId, recordId }: Delivery, error: unknown): unknown {
  const which = `The event was ${event} of record ${recordId} in table ${tableId}.`;
  if (error instanceof InputError) return new InputError(error.message, `${error.remedy} ${which}`);
  return mapExplanation(error, ({ description }) => ({ description: `${description} ${which}` }));
}

async function readDeliveredRecord(client: Client, { tableId, recordId }: Delivery): Promise<RecordResult> {
  const { body } = await client.call(recordEndpoints.get, { path: { dataTableId: tableId, recordId } });
  return { status: 'found', values: body.item };
}

/** Reads the current record from the service. Never throws. */
async function fetchRecord(client: Client, delivery: Delivery): Promise<RecordResult> {
  try {
    return await readDeliveredRecord(client, delivery);
  } catch (error) {
    return isServiceNotFound(error) ? { status: 'notFound' } : { status: 'failed', error: error as Error };
  }
}

/**
 * Reads the fields of the table. If the request fails, the stored fields are used, or none if they only simplify the
 * record.
 */
const fetchCurrentTable = (
  client: Client,
  { delivery, parameters, table }: Facts,
): Promise<Table | undefined> =>
  client.tables.get(delivery.tableId).catch((error: unknown) => {
    if (table || !namesFields(parameters)) return table;
    throw asThrown(error);
  });

async function fetchFacts(
  context: IWebhookFunctions,
  facts: Facts,
  fact: 'table' | 'record',
): Promise<Partial<Facts>> {
  const { parameters, delivery, table } = facts;
  const client = await connect(context);
  // Stored fields may be out of date, which matters for the fields that the form names.
  const isNeeded = namesFields(parameters) || (usesFields(parameters) && !table);
  const [fields, record] = await Promise.all([
    isNeeded ? fetchCurrentTable(client, facts) : undefined,
    fact === 'record' ? fetchRecord(client, delivery) : undefined,
  ]);
  const filter = fields && (await resolveStoredFilter(client, parameters.filter, fields));
  return {
    ...(filter && { parameters: { ...parameters, filter } }),
    table: fields ?? table,
    isTableFresh: true,
    ...(record && { record }),
  };
}

/**
 * Decides about a delivery, and reads each fact that the decision needs from the service, at most once.
 * @throws ApiError if the fields of the table cannot be read, InputError if the form does not fit them
 */
export async function decideWithService(
  context: IWebhookFunctions,
  known: Facts,
): Promise<{ decision: Decision; facts: Facts }> {
  const decision = decide(known);
  if (decision.action !== 'fetch') return { decision, facts: known };
  return decideWithService(context, { ...known, ...(await fetchFacts(context, known, decision.fact)) });
}

/** The subscriptions on one table, in one request. */
export async function fetchTableSubscriptions(
  context: IWebhookFunctions,
  tableId: string,
): Promise<Subscription[]> {
  const client = await connect(context);
  const { body } = await client.call(webhookEndpoints.list, { query: { data_table_id: tableId } });
  return parseSubscriptions(body) ?? [];
}
