/** Finds connected records by their names. */
import {
  asThrown,
  type Client,
  cutName,
  formatForError,
  InputError,
  joinFirstTexts,
  type ServiceRecord,
  tryOr,
} from '../../service';
import type { Field } from '../fields/field';
import { getKind } from '../fields/kinds';
import { readText } from '../fields/recordValues';
import type { Table } from '../fields/table';
import { type Connection, storeTexts } from '../reading/connectedTexts';
import { MatchKey } from '../reading/matchKey';
import { getReader, type KeyResult, type RecordReader } from '../reading/recordReader';
import { formatRecordLabel } from '../reading/recordSearch';
import { getTable, listTables } from '../reading/tables';

/** The table that a connection leads to. `nameField` holds the names of its records. */
interface ConnectedTable {
  connection: Connection;
  table: Table;
  nameField: Field;
}

/**
 * Returns the connected table, and the field with the names of its records (spec: Field, full, `join`).
 * @throws InputError if the field with the names is unknown, or cannot be searched
 */
export async function getConnectedTable(client: Client, field: Field): Promise<ConnectedTable> {
  const { connection } = field;
  const table = connection?.tableId === undefined ? undefined : await getTable(client, connection.tableId);
  const refs = connection?.nameField?.map((name) => table?.findRef(name)) ?? [];
  const nameField = refs.find((ref) => ref && !ref.part)?.field;
  if (connection && table && nameField && getKind(nameField).isMatchable)
    return { connection, table, nameField };
  throw new InputError(
    `"${field.name}" cannot take names: the service names no field by which to find them`,
    'Nothing was sent. Give IDs, and choose IDs Only under "Connected Records".',
  );
}

/** Returns the ID if the list of tables cannot be read. */
export async function readTableName(client: Client, tableId: string): Promise<string> {
  const tables = await listTables(client, { isFresh: true }).catch(() => []);
  return cutName(tables.find(({ id }) => id === tableId)?.name ?? tableId);
}

const NO_MATCH: Pick<KeyResult, 'records' | 'similar' | 'error'> = { records: [], similar: [] };

/** Finds records by an exact name, or else by a name with different spaces, or else by a name in a different case. */
export class NameLookup {
  constructor(
    private readonly client: Client,
    readonly target: ConnectedTable,
  ) {}

  private get reader(): RecordReader {
    return getReader(this.client, this.target.table);
  }

  /** Returns the records with each name, or an empty list. `isFresh`: whether cached names are looked up again. */
  async findByNames(names: string[], { isFresh = false } = {}): Promise<Map<string, ServiceRecord[]>> {
    const { connection, table, nameField: field } = this.target;
    // A name that the field cannot hold, such as "abc" for a number, is not looked up.
    const keys = names.flatMap((name) => this.createNameKey(name) ?? []);
    const answers = await this.reader.findByKeys(keys, { isFresh, isName: true });
    return new Map(
      names.map((name) => {
        const { records, similar, error } = answers.get(this.createNameKey(name)?.cacheKey ?? '') ?? NO_MATCH;
        if (error !== undefined && similar.length === 0) throw asThrown(error);
        const found = records.length > 0 ? records : similar;
        for (const record of found)
          storeTexts(this.client, connection, [[record.id, readText(record, { table, field })]]);
        return [name, found];
      }),
    );
  }

  /** Caches the record that was created with a name, or the error of a create after which the record may exist. */
  async cacheResult(name: string, created: { records: ServiceRecord[] } | { error: unknown }): Promise<void> {
    const key = this.createNameKey(name);
    if (key) await this.reader.cacheKeyResult(key, created);
  }

  /** @returns undefined for a name that the field cannot hold, such as "abc" for a number */
  createNameKey(name: string): MatchKey | undefined {
    const { table, nameField: field } = this.target;
    const { toLookupKey, encodeOperand } = getKind(field);
    // White space at the ends stays if `toLookupKey` ignores it: a record with exactly this name is then preferred.
    const text = toLookupKey ? name : name.trim();
    const value = tryOr(() => encodeOperand(text, field, { timeZone: 'utc' }), undefined);
    return value === undefined || value === '' ? undefined : new MatchKey([{ table, field }], [value]);
  }
}

/** @param canBeCreated whether the form has an option that creates missing records */
export async function createNoRecordError(
  client: Client,
  field: Field,
  text: string,
  { lookup, canBeCreated }: { lookup?: NameLookup; canBeCreated: boolean },
): Promise<InputError> {
  const table = await readTableName(client, field.connection?.tableId ?? '');
  const toCreate = canBeCreated
    ? ', or choose "Look Up, Create Missing" under "Connected Records" in the options. "Names Only" takes no IDs'
    : '';
  return new InputError(
    `"${field.name}": ${table} has no record ${formatForError(text)}`,
    `Nothing was sent. Give the ID or the "${lookup?.target.nameField.name ?? 'name'}" of a record${toCreate}.`,
  );
}

export async function createSameNameError(
  client: Client,
  field: Field,
  text: string,
  { records, table }: { records: ServiceRecord[]; table: Table },
): Promise<InputError> {
  const name = await readTableName(client, table.id);
  const labels = records.map(
    (record) => `${formatForError(formatRecordLabel(record, table))} (${record.id})`,
  );
  return new InputError(
    `"${field.name}": ${records.length} records of ${name} have the name ${formatForError(text)}`,
    `Nothing was sent. Give the ID of one of them: ${joinFirstTexts(labels)}.`,
  );
}
