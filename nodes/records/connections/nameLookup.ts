/**
 * Connected records by their names. `getNameLookup` returns the look-up of a table, which requests about 50 names at
 * once and keeps the results.
 */
import { uniq } from 'lodash';
import {
  asThrown,
  type Client,
  cutName,
  formatForError,
  InputError,
  isRefusedValue,
  joinFirst,
  MAX_PAGE_SIZE,
  memory,
  RequestCache,
  type ServiceRecord,
} from '../../service';
import { joinParts } from '../fields/composite';
import type { Field } from '../fields/field';
import { getKind } from '../fields/kinds';
import { findSimilarNames, NameIndex, toNameKey } from '../fields/names';
import { tidyText } from '../fields/plainKinds';
import { getRawValue } from '../fields/recordValues';
import type { Table } from '../fields/table';
import type { FilterItem } from '../filter/tree';
import { type Connection, rememberText } from '../reading/connectedTexts';
import { requestBatches } from '../reading/findByValues';
import { fetchRecordPage } from '../reading/readRecords';
import { formatRecordLabel } from '../reading/recordSearch';
import { listTables, getTable } from '../reading/tables';

/**
 * Gets the look-up of the table that a connection leads to. The connections of an execution to one table share it.
 * @throws InputError when the service names no field by which to find records
 */
export async function getNameLookup(client: Client, field: Field): Promise<NameLookup> {
  const target = await getConnectedTable(client, field);
  const lookups = getLookups(client);
  const key = JSON.stringify([target.table.id, target.nameField.slug]);
  const lookup = lookups.get(key) ?? new NameLookup(client, field.connection ?? { many: false }, target);
  lookups.set(key, lookup);
  return lookup;
}

/** The table that a connection leads to, and its field with the names of the records. */
interface ConnectedTable {
  table: Table;
  nameField: Field;
}

/**
 * Reads the fields of the connected table and finds the field that the join names (spec: Field, full, `join`).
 * @throws InputError when the service names no such field
 */
async function getConnectedTable(client: Client, field: Field): Promise<ConnectedTable> {
  const { tableId, nameField: names = [] } = field.connection ?? {};
  const table = tableId === undefined ? undefined : await getTable(client, tableId);
  const nameField = names.map((name) => table?.find(name)).find((ref) => ref && !ref.part)?.field;
  if (table && nameField && getKind(nameField).isMatchable) return { table, nameField };
  throw new InputError(
    `"${field.name}" cannot take names: the service names no field by which to find them`,
    'Nothing was sent. Give IDs, and choose IDs Only under "Connected Records".',
  );
}

/** For error messages: the ID when the list of tables cannot be read. */
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
 * Creates the condition that finds a name, in capital or small letters: `is` ignores case (spec: Filters, Text), and the
 * found records are compared here. No condition for a text that the name field cannot hold.
 */
function createNameCondition(name: string, nameField: Field): FilterItem[] {
  const kind = getKind(nameField);
  try {
    const val = kind.encodeOperand(name, nameField, { timeZone: 'utc' });
    return [{ field_id: nameField.slug, ...kind.createMatch(val) }];
  } catch {
    return [];
  }
}

/** Searches for similar names in one execution. Each costs two requests. */
const MAX_SUGGESTION_SEARCHES = 20;

/**
 * Finds records of one connected table by their names (see `toNameKey`), and keeps the results. A failure is not kept.
 * The service may ignore a filter, so all results are compared here.
 */
export class NameLookup {
  private readonly results = new RequestCache<string[]>();
  private suggestionSearches = 0;

  constructor(
    private readonly client: Client,
    private readonly connection: Connection,
    readonly target: ConnectedTable,
  ) {}

  /** Finds the IDs of the records with each name. The list is empty for a name that no record has. */
  async find(names: string[]): Promise<Map<string, string[]>> {
    const unknown: string[] = [];
    // The names of this call are collected first and requested together.
    const requests = Promise.resolve().then(() => this.startRequests(unknown));
    const entries = names.map(async (name) => {
      const ids = await this.results.get(name, () => {
        unknown.push(name);
        return requests.then((byName) => byName.get(name) ?? []);
      });
      return [name, ids] as const;
    });
    return new Map(await Promise.all(entries));
  }

  /** Whether the field with the names can hold a text, so that a record may have it. */
  canHave(name: string): boolean {
    return createNameCondition(name, this.target.nameField).length > 0;
  }

  /** Looks up a name with a new request. The result of an earlier look-up is not used. */
  async findAnew(name: string): Promise<string[]> {
    this.results.delete(name);
    return (await this.find([name])).get(name) ?? [];
  }

  /** Stores the ID of a created record. */
  async remember(name: string, id: string): Promise<void> {
    rememberText(this.client, this.connection, id, name);
    this.results.delete(name);
    await this.results.get(name, () => Promise.resolve([id]));
  }

  /** Finds up to three names of records that are similar to `name`. Empty if the search fails. */
  async suggest(name: string): Promise<string[]> {
    if (++this.suggestionSearches > MAX_SUGGESTION_SEARCHES || name.length > 100) return [];
    const { table, nameField } = this.target;
    const words = name.split(/\s+/).sort((a, b) => b.length - a.length);
    const search = async (operator: string, val: string) => {
      const items = [{ field_id: nameField.slug, operator, val }];
      const query = { tableId: table.id, filters: { condition: 'AND' as const, items, child: [] } };
      const list = await fetchRecordPage(this.client, query, 1, MAX_PAGE_SIZE).catch(() => ({ items: [] }));
      return list.items.map((record) => formatRecordName(record, this.target));
    };
    // Each condition goes by GET. Both in one request would go by POST.
    const found = await Promise.all([
      search('starts with', [...name].slice(0, 2).join('')),
      search('contains', words[0] ?? name),
    ]);
    return findSimilarNames(name, uniq(found.flat()));
  }

  /** Formats each record with the texts that a list of records shows, and its ID. */
  async describe(name: string, ids: string[]): Promise<string[]> {
    const { table } = this.target;
    const records = await this.fetch(name).catch(() => []);
    return ids.map((id) => {
      const record = records.find((one) => one.id === id);
      return record ? `${formatForError(formatRecordLabel(record, table))} (${id})` : id;
    });
  }

  /**
   * Requests the records of `names`, also in the form in which a service may store them: without double blanks, composed.
   * Otherwise each run would create such a record anew (open point: `storedText`).
   * @returns a request of IDs for each name
   */
  private startRequests(names: string[]): Map<string, Promise<string[]>> {
    const batches = this.request(uniq([...names, ...names.map(tidyText)])).map(({ keys, records }) => ({
      keys,
      index: records.then((found) => this.createIndex(found)),
    }));
    // One refused name must not fail the others, so each name of a refused batch is requested alone.
    const find = async (name: string, index: Promise<NameIndex<ServiceRecord>>, isAlone: boolean) => {
      const found = await index.catch(async (error: unknown) => {
        if (!isRefusedValue(error) || isAlone) throw asThrown(error);
        return this.createIndex(await this.fetch(name));
      });
      const records = found.find(name);
      // A service that distinguishes spellings may have a record for each.
      const listEqual = (toForm: (text: string) => string) =>
        records.filter((record) => toForm(formatRecordName(record, this.target)) === toForm(name));
      const nearest =
        [listEqual((text) => text.trim()), listEqual(tidyText), records].find(({ length }) => length > 0) ??
        [];
      return nearest.map(({ id }) => id);
    };
    const byForm = new Map(
      batches.flatMap(({ keys, index }) => keys.map((name) => [name, find(name, index, keys.length === 1)])),
    );
    const findAny = async (name: string) => {
      const [equal, stored] = await Promise.all([byForm.get(name), byForm.get(tidyText(name))]);
      return (equal?.length ? equal : stored) ?? [];
    };
    return new Map(names.map((name) => [name, findAny(name)]));
  }

  private request(names: string[]) {
    const { table, nameField } = this.target;
    return requestBatches(this.client, {
      tableId: table.id,
      keys: names,
      listConditions: (name) => createNameCondition(name, nameField),
    });
  }

  private async fetch(name: string): Promise<ServiceRecord[]> {
    return (await Promise.all(this.request([name]).map(({ records }) => records))).flat();
  }

  private createIndex(records: ServiceRecord[]): NameIndex<ServiceRecord> {
    for (const record of records)
      rememberText(this.client, this.connection, record.id, formatRecordName(record, this.target));
    return new NameIndex(records, (record) => [formatRecordName(record, this.target).trim()], toNameKey);
  }
}

/** The look-ups by table and name field. */
const getLookups = memory.attached<Client, Map<string, NameLookup>>(
  'nameLookups',
  { to: 'client', holds: 'the connected records that an execution has found by name' },
  () => new Map(),
);

/**
 * Names the connection, the text, the table and similar names.
 * @param canBeCreated whether the form has an option for it; undefined for a filter, for which no record is needed
 */
export async function createNotFoundError(
  client: Client,
  field: Field,
  text: string,
  { lookup, canBeCreated }: { lookup?: NameLookup; canBeCreated?: boolean },
): Promise<InputError> {
  const table = await fetchTableName(client, field.connection?.tableId ?? '');
  const similar = (await lookup?.suggest(text)) ?? [];
  const hint = similar.length > 0 ? ` Did you mean ${similar.map(formatForError).join(' or ')}?` : '';
  const toCreate = canBeCreated
    ? ', create the record first, or choose "Look Up, Create Missing" under "Connected Records" in the options'
    : ', or create the record first';
  const remedy = `Correct the text${canBeCreated === undefined ? '' : toCreate}.`;
  return new InputError(
    `"${field.name}": ${table} has no record ${formatForError(text)}`,
    `No record has this text as its ID or as its "${lookup?.target.nameField.name ?? 'name'}".${hint} Nothing was sent. ${remedy}`,
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
    `Nothing was sent. Give the ID of one of them: ${joinFirst((await lookup?.describe(text, ids)) ?? ids)}.`,
  );
}
