/** Functions of both triggers: restarts, parameters, and tables by name. */
import type { IHookFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';
import { findTable, listTables, type TableSummary } from '../../records';
import { type Client, tryOr } from '../../service';
import { ParameterReader } from '../parameters/parameter';

/**
 * Whether n8n itself activates a published workflow, because n8n has started or this process takes over from
 * another one. An error would then stop the trigger permanently, although nobody has changed the workflow.
 */
export const isRestart = (context: IHookFunctions | IPollFunctions): boolean =>
  ['init', 'leadershipChange'].includes(context.getActivationMode());

export const createTriggerReader = (context: IHookFunctions | IPollFunctions | IWebhookFunctions) =>
  new ParameterReader(
    () => context.getNode(),
    ({ name, type, default: fallback }) =>
      context.getNodeParameter(name, fallback, { extractValue: type === 'resourceLocator' }),
  );

/** Triggers run often, so they use tables and fields from the cache up to this age. */
export const MAX_TABLES_AGE_MS = 3_600_000;

/** Returns the name of a table, or its ID if the service does not list the table. */
export async function findTableName(client: Client, id: string): Promise<string> {
  const find = (tables: TableSummary[]) => tables.find((one) => one.id === id)?.name;
  const known = find(await listTables(client, { maxAgeMs: MAX_TABLES_AGE_MS }));
  return known ?? find(await listTables(client, { isFresh: true })) ?? id;
}

/**
 * `name` may be an ID, but only a name still works in a copied application, which has other IDs.
 * @throws InputError if no or several tables match
 */
export async function findTableByNameOrId(
  client: Client,
  name: string,
  { isFresh = false } = {},
): Promise<TableSummary> {
  const known = await listTables(client, { isFresh, maxAgeMs: MAX_TABLES_AGE_MS });
  const found = tryOr(() => findTable(name, known), undefined);
  return found ?? findTable(name, await listTables(client, { isFresh: true }));
}
