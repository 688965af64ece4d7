/** Fields of connected records. `Customer → City` means the field City of the records that Customer connects to. */
import { cloneDeep, groupBy, omit, uniq } from 'lodash';
import { type Client, InputError, mapSteps } from '../../service';
import type { Field } from '../fields/field';
import { getKind } from '../fields/kinds';
import { type RecordValues, keepColumns, readConnectedIds } from '../fields/recordValues';
import { type Table, createUnknownFieldError, labelFields } from '../fields/table';
import { FIELD_PATH_SEPARATORS } from '../filter/tree';
import { getReader } from '../reading/recordReader';
import { createKeyFormatter, createItemConverter, RECORD_SUFFIX } from '../reading/simplifiedRecord';
import { getTable } from '../reading/tables';
import { addConnectedTexts } from './missingTexts';

interface ConnectedFieldPath {
  connection: Field;
  tableId: string;
  /** The text after the first arrow: `City → Country` in `Customer → City → Country`. */
  rest: string;
}

/** @returns undefined if `name` is the name of a field, or if no connection has the name before the arrow */
export function parseConnectedPath(table: Table, name: string): ConnectedFieldPath | undefined {
  const separator = FIELD_PATH_SEPARATORS.find((sign) => name.includes(sign));
  if (separator === undefined || table.findRef(name)) return undefined;
  const at = name.indexOf(separator);
  const connection = table.findField(name.slice(0, at).trim());
  const tableId = connection?.connection?.tableId;
  const rest = name.slice(at + separator.length).trim();
  return connection && tableId !== undefined && rest !== '' ? { connection, tableId, rest } : undefined;
}

interface LabelledTable {
  table: Table;
  /** The start of the name of a connected field: `customer →` in `customer → city`. */
  path: string;
  /** The start of the label of a connected field: `Customer →` in `Customer → City`. */
  label: string;
}

/**
 * Lists the tables to which the connections in `fields` lead. Leaves out tables that cannot be read.
 * @example
 * await listConnectedTables(client, orders.fields); // [{ table: customers, path: 'customer →', label: 'Customer →' }]
 */
export async function listConnectedTables(client: Client, fields: Field[]): Promise<LabelledTable[]> {
  const found = await Promise.all(
    labelFields(fields).map(async ({ field, label }) => {
      const { connection } = field;
      if (connection?.tableId === undefined || !getKind(field).hasDisplayValues) return [];
      const table = await getTable(client, connection.tableId).catch(() => undefined);
      return table ? [{ table, path: `${field.slug} →`, label: `${label} →` }] : [];
    }),
  );
  return found.flat();
}

const OPTION_LABEL = 'Connected Fields';

async function groupFieldsByConnection(client: Client, table: Table, names: string[]) {
  const paths = names.map((name) => {
    const path = parseConnectedPath(table, name);
    if (path) return path;
    throw createUnknownFieldError(table, name, OPTION_LABEL);
  });
  const groups = Object.values(groupBy(paths, ({ connection }) => connection.slug));
  return mapSteps(groups, 1, async (group) => {
    const { connection, tableId } = group[0]!;
    const connected = await getTable(client, tableId);
    const slugs = uniq(group.map(({ rest }) => connected.requireField(rest, OPTION_LABEL).slug));
    return { connection, table: connected, slugs };
  });
}

/**
 * Lists the slugs of the connections in `paths`. A request for chosen columns returns IDs only if it names these slugs.
 * @throws InputError for a name that is no field of a connected record
 */
export const listConnectionSlugs = async (client: Client, table: Table, paths: string[]): Promise<string[]> =>
  (await groupFieldsByConnection(client, table, paths)).map(({ connection }) => connection.slug);

/**
 * Returns the values to add to each record under `<slug>_record`: an object, null if no record is connected, or a list
 * if the connection takes several records.
 * @example
 * await readConnectedFields(client, orders, ['Customer → Email'], [{ id: …, customer: ['K7pQ2xW9Lm'] }], form);
 * // [{ customer_record: { email: 'ada@example.com' } }]
 * @throws InputError for a name that is no field of a connected record
 * @throws ApiError for a failed request
 */
export async function readConnectedFields(
  client: Client,
  table: Table,
  paths: string[],
  records: RecordValues[],
  { simplified, displayNames }: { simplified: boolean; displayNames: boolean },
): Promise<RecordValues[]> {
  const { notices } = client;
  const getKey = createKeyFormatter(table, displayNames);
  const added: RecordValues[] = records.map(() => ({}));
  for (const { connection, table: connected, slugs } of await groupFieldsByConnection(client, table, paths)) {
    const key = `${getKey(connection)}${RECORD_SUFFIX}`;
    if (table.listFieldsByName(key).length > 0) {
      throw new InputError(
        `${OPTION_LABEL}: the table has a field "${key}", under which the fields of "${connection.name}" would stand`,
        'Give the field another name in the service, or read the connected records with Get Many.',
      );
    }
    const idLists = records.map((record) => readConnectedIds(record, { table, field: connection }));
    const reader = getReader(client, connected);
    const wanted = uniq(idLists.flat());
    const known = (await reader.findRecords(wanted, { maxPages: Infinity })).map(({ record }) => record);
    const lost = wanted.length - known.length;
    if (lost > 0) {
      notices.addHint(
        `${OPTION_LABEL}: ${lost} of ${wanted.length} records of "${connection.name}" could not be read. They were deleted, or the user of the credential may not see them.`,
      );
    }
    const isHidden = (slug: string) =>
      known.every((record) => Object.keys(keepColumns(record, [slug], connected.fields)).length < 2);
    const hidden = slugs.filter((slug) => known.length > 0 && isHidden(slug));
    if (hidden.length > 0)
      notices.addHint(`${OPTION_LABEL}: "${connection.name}" was answered without ${hidden.join(', ')}.`);
    const complete = simplified ? await addConnectedTexts(client, connected, known) : known;
    const shape = createItemConverter({ simplified, displayNames, client }, connected);
    const shaped = new Map(
      complete.map((record) => {
        const kept = omit(keepColumns(record, slugs, connected.fields), 'id');
        return [String(record.id), shape(kept)];
      }),
    );
    idLists.forEach((ids, index) => {
      // Several items may have one connected record. Without a copy, a change of one item would change the other items.
      const values = ids.flatMap((id) => cloneDeep(shaped.get(id)) ?? []);
      const isList = connection.connection?.many === true || ids.length > 1;
      Object.assign(added[index] ?? {}, { [key]: isList ? values : (values[0] ?? null) });
    });
  }
  return added;
}
