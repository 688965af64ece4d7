/**
 * Connected records by their names. `getNameLookup` returns the look-up of a table, which requests about 50 names at
 * once and keeps the results.
 */
import {
  asThrown,
  type Client,
  cutName,
  formatForError,
  InputError,
  joinFirst,
  type ServiceRecord,
  tryOr,
} from '../../service';
import { joinParts } from '../fields/composite';
import type { Field } from '../fields/field';
import { getKind } from '../fields/kinds';
import { getRawValue } from '../fields/recordValues';
import type { Table } from '../fields/table';
import { type Connection, rememberText } from '../reading/connectedTexts';
import { findByKeys, type MatchKey, toMatchKey } from '../reading/findByValues';
import { getRun, type KeyAnswer } from '../reading/recordsById';
import { formatRecordLabel } from '../reading/recordSearch';
import { getTable, listTables } from '../reading/tables';

/**
 * Gets the look-up of the table that a connection leads to. The connections of an execution to one table share it.
 * @throws InputError when the service names no field by which to find records
 */
export const getNameLookup = async (client: Client, field: Field): Promise<NameLookup> =>
  new NameLookup(client, field.connection ?? { many: false }, await getConnectedTable(client, field));

/** The table that a connection leads to, and its field with the names of the records. */
interface ConnectedTable {
  table: Table;
  nameField: Field;
}

/**
 * Reads the fields of the connected table and finds the field that the join names (spec: Field, full, `join`).
 * @throws InputError when the service names no such field
 */
export async function getConnectedTable(client: Client, field: Field): Promise<ConnectedTable> {
  const { tableId, nameField: names = [] } = field.connection ?? {};
  const table = tableId === undefined ? undefined : await getTable(client, tableId);
  const nameField = names.map((name) => table?.find(name)).find((ref) => ref && !ref.part)?.field;
  if (table && nameField && getKind(nameField).isMatchable) return { table, nameField };
  throw new InputError(
    `"${field.name}" cannot take names: the service names no field by which to find them`,
    'Nothing was sent. Give IDs, and choose IDs Only under "Connected Records".',
  );
}

/** The name of the table for error messages, or its ID if the list of tables cannot be read. */
export async function fetchTableName(client: Client, tableId: string): Promise<string> {
  const tables = await listTables(client, { isFresh: true }).catch(() => []);
  return cutName(tables.find(({ id }) => id === tableId)?.name ?? tableId);
}

/** Formats the value of a record's name field. '' for an empty field. */
export function formatRecordName(record: ServiceRecord, { table, nameField }: ConnectedTable): string {
  const kind = getKind(nameField);
  const value = kind.read(getRawValue(record, { table, field: nameField }), nameField);
  return joinParts(value, kind.parts ?? []);
}

/**
 * Finds records of one connected table by their names. Results are kept for the run, failures are not. An exact match
 * takes precedence over a name that differs in blanks or Unicode composition, and such a name over one that differs in
 * case.
 */
export class NameLookup {
  constructor(
    private readonly client: Client,
    private readonly connection: Connection,
    readonly target: ConnectedTable,
  ) {}

  /** Finds the IDs of the records with each name. The list is empty for a name that no record has. */
  async find(names: string[]): Promise<Map<string, string[]>> {
    const unknown: MatchKey[] = [];
    // The names of this call are collected first and requested together.
    const request = Promise.resolve().then(() => this.request(unknown));
    const entries = names.map(async (name): Promise<[string, string[]]> => {
      const key = this.createKey(name);
      // A name that the field cannot hold has no record.
      if (!key) return [name, []];
      const records = await this.findOnce(name, async () => {
        unknown.push(key);
        const { records: equal, similar, error } = (await request).get(key.name)!;
        if (error !== undefined && similar.length === 0) throw asThrown(error);
        return equal.length > 0 ? equal : similar;
      });
      return [name, records.map(({ id }) => id)];
    });
    return new Map(await Promise.all(entries));
  }

  /** Whether the field with the names can hold a text, so that a record may have it. */
  canHoldName(name: string): boolean {
    return this.createKey(name) !== undefined;
  }

  /** Looks up a name with a new request. The result of an earlier look-up is not used. */
  async lookUpAgain(name: string): Promise<string[]> {
    getRun(this.client).named.delete(this.createEntryKey(name));
    return (await this.find([name])).get(name) ?? [];
  }

  /** Stores the ID of a created record. */
  async remember(name: string, id: string): Promise<void> {
    rememberText(this.client, this.connection, id, name);
    getRun(this.client).named.delete(this.createEntryKey(name));
    await this.findOnce(name, () => Promise.resolve([{ id }]));
  }

  /** Formats each record with a name by the texts that a list of records shows, and its ID. */
  async describe(name: string): Promise<string[]> {
    const records = await this.findOnce(name, () => Promise.resolve([]));
    return records.map(
      (record) => `${formatForError(formatRecordLabel(record, this.target.table))} (${record.id})`,
    );
  }

  private createKey(name: string): MatchKey | undefined {
    const { table, nameField: field } = this.target;
    const text = name.trim();
    const value = tryOr(() => getKind(field).encodeOperand(text, field, { timeZone: 'utc' }), undefined);
    return value === undefined || value === '' ? undefined : toMatchKey([{ table, field }], [value]);
  }

  private createEntryKey(name: string): string {
    return JSON.stringify([this.target.table.id, this.createKey(name)?.name]);
  }

  private findOnce(name: string, find: () => Promise<ServiceRecord[]>): Promise<ServiceRecord[]> {
    return getRun(this.client).named.get(this.createEntryKey(name), find);
  }

  private async request(keys: MatchKey[]): Promise<Map<string, KeyAnswer>> {
    const { client, connection, target } = this;
    const answers = await findByKeys(client, target.table, keys);
    for (const { records, similar } of answers.values())
      for (const record of [...records, ...similar])
        rememberText(client, connection, record.id, formatRecordName(record, target));
    return answers;
  }
}

/**
 * Names the connection, the text and the table.
 * @param canBeCreated whether the form has an option for it; undefined for a filter, for which no record is needed
 */
export async function createNotFoundError(
  client: Client,
  field: Field,
  text: string,
  { lookup, canBeCreated }: { lookup?: NameLookup; canBeCreated?: boolean },
): Promise<InputError> {
  const table = await fetchTableName(client, field.connection?.tableId ?? '');
  const toCreate = canBeCreated
    ? ', create the record first, or choose "Look Up, Create Missing" under "Connected Records" in the options'
    : ', or create the record first';
  const remedy = `Correct the text${canBeCreated === undefined ? '' : toCreate}.`;
  return new InputError(
    `"${field.name}": ${table} has no record ${formatForError(text)}`,
    `No record has this text as its ID or as its "${lookup?.target.nameField.name ?? 'name'}". Nothing was sent. ${remedy}`,
  );
}

/** Lists the records with the same name, each with the texts in which they may differ. */
export async function createAmbiguousError(
  client: Client,
  field: Field,
  text: string,
  { ids, lookup }: { ids: string[]; lookup?: NameLookup },
): Promise<InputError> {
  const table = await fetchTableName(client, field.connection?.tableId ?? '');
  return new InputError(
    `"${field.name}": ${ids.length} records of ${table} have the name ${formatForError(text)}`,
    `Nothing was sent. Give the ID of one of them: ${joinFirst((await lookup?.describe(text)) ?? ids)}.`,
  );
}
