/** Converts the values that a user gives for a record to the values that are sent. */
import { uniq } from 'lodash';
import { ApiError, asThrown, type Client, formatForError, InputError, rewordError } from '../../service';
import {
  type LookupPurpose,
  resolveConnection,
  type ResolvedConnection,
} from '../connections/connectionResolver';
import { readTableName, type NameLookup } from '../connections/nameLookup';
import type { Field, PayloadEntries } from '../fields/field';
import { normalizeSpaces } from '../fields/plainKinds';
import {
  type ConnectionNotation,
  encodeDefaultValue,
  encodeValue,
  type RecordValues,
} from '../fields/recordValues';
import type { FieldRef, Table } from '../fields/table';
import { hashMatchKey } from '../reading/matchKey';
import { createRecord } from './createRecord';
import { encodeRecordValues } from './payload';
import { runInTurn } from './turns';

interface PreparationOptions {
  timeZone: string;
  /** Why connected records are looked up. By default, `write`. */
  use?: LookupPurpose;
  /** Whether the values contain IDs or names of connected records. By default, `detect`. */
  notation?: ConnectionNotation;
  /** Whether an invalid value becomes a `RefusedValue` (`encodeRecordValues`). */
  allowsRefused?: boolean;
  /** Whether `complete` creates a record for a name that no record has. */
  createsMissing?: boolean;
  /** Whether a name that no record has is accepted without the creation of a record. */
  allowsMissing?: boolean;
  /** Returns the values that the other items have in a connection. One request looks up the names of all items. */
  collectOthers?: (field: Field) => Promise<unknown[]>;
  /** Called with a sentence for each connected record that is created. */
  onCreated?: (text: string) => void;
  /** Finds a field by its key. By default, finds only fields that can be written. */
  resolve?: (key: string) => FieldRef;
}

interface PreparedEntries {
  /** The encoded values, for checks before the write. They contain the names in `missing` in place of IDs. */
  preview: PayloadEntries;
  /** Names of connected records that do not exist. Undefined if there are none, so that `preview` can be sent. */
  missing?: string[];
  /** Creates the missing connected records, and returns the values to send. @throws ApiError if a create fails */
  complete: () => Promise<PayloadEntries>;
}

/**
 * Finds the connected records whose names or IDs the values contain, and encodes all values. Nothing is written.
 * @param values the values by payload key. `undefined` is left out; null and '' clear the field
 * @example
 * const { complete } = await prepareEntries(client, table, { customer: 'Example Ltd', price: '7.50' }, { timeZone: 'UTC' });
 * await createRecord(client, { table, entries: await complete() });
 * @throws InputError for a key that the table does not have, or an invalid value
 * @throws InputError as `resolveConnection` does. `createsMissing` and `allowsMissing` allow a name that no record has
 */
export async function prepareEntries(
  client: Client,
  table: Table,
  values: RecordValues,
  options: PreparationOptions,
): Promise<PreparedEntries> {
  const { use = 'write', notation = 'detect', createsMissing = false, allowsMissing = false } = options;
  const { timeZone, collectOthers, resolve, allowsRefused } = options;
  const context = { timeZone, allowsRefused };
  const encode = (connections: RecordValues): PayloadEntries => {
    const all = { ...values, ...connections };
    return encodeRecordValues(all, table, context, resolve);
  };
  const connections = Object.entries(values).flatMap(([key, value]) => {
    const field = findConnectionField(table, key);
    if (!field || value === undefined) return [];
    const settings = { use, notation, allowsMissing: allowsMissing || createsMissing };
    const connection = resolveConnection(client, field, value, settings, () => collectOthers?.(field) ?? []);
    return [connection.then((resolved): [string, ResolvedConnection] => [key, resolved])];
  });
  const resolved = await Promise.all(connections);
  const preview = encode(
    Object.fromEntries(resolved.map(([key, connection]) => [key, listIdsOrNames(connection)])),
  );
  const names = resolved.flatMap(([, { records }]) =>
    records.flatMap((record) => ('missing' in record ? record.missing : [])),
  );
  const missing = names.length > 0 ? names : undefined;
  return {
    preview,
    missing,
    async complete() {
      if (!missing) return preview;
      const ids: RecordValues = {};
      for (const [key, connection] of resolved)
        ids[key] = await createMissingRecords(client, connection, options);
      return encode(ids);
    },
  };
}

/**
 * Adds default values, because the service does not apply them (spec: Record). An empty item gets none, because no
 * record must be created for it. A unique field gets none, because only one record could have it. A default that cannot
 * be written is left out, and a hint names it.
 */
export async function addDefaultValues(
  client: Client,
  table: Table,
  entries: PayloadEntries,
  timeZone: string,
): Promise<PayloadEntries> {
  if (entries.length === 0) return entries;
  const given = new Set(entries.map(([key]) => table.requireWritableRef(key, 'Fields').field));
  const fields = table.writableFields.filter(
    (field) => !given.has(field) && !field.unique && field.defaultValue !== '',
  );
  const prepare = async (field: Field): Promise<PayloadEntries> => {
    const values = { [field.slug]: field.defaultValue };
    try {
      return (await prepareEntries(client, table, values, { timeZone, use: 'checkedWrite' })).preview;
    } catch (error) {
      // The API key has no permission to read the connected records, so the default is sent without a look-up.
      if (error instanceof ApiError && error.status === 403) return encodeDefaultValue(field);
      if (!(error instanceof InputError)) throw asThrown(error);
      client.notices.addHint(`The default of "${field.name}" was left out. ${error.message}.`);
      return [];
    }
  };
  const defaults = await Promise.all(fields.map(prepare));
  return [...defaults.flat(), ...entries];
}

const findConnectionField = (table: Table, key: string): Field | undefined => {
  const field = table.findField(key);
  return field?.connection ? field : undefined;
};

const listIdsOrNames = ({ records }: ResolvedConnection): string[] =>
  uniq(records.map((record) => ('id' in record ? record.id : record.missing)));

/** Creates the records one after the other, because two of them may have the same name. Returns the IDs of all. */
async function createMissingRecords(
  client: Client,
  { field, records }: ResolvedConnection,
  options: PreparationOptions,
): Promise<string[]> {
  const ids: string[] = [];
  for (const record of records)
    ids.push('id' in record ? record.id : await createMissingRecord(client, field, record, options));
  return uniq(ids);
}

/** Calls for one name run one after the other. Each looks up the name first, so that only one record is created. */
async function createMissingRecord(
  client: Client,
  field: Field,
  { missing: name, lookup }: { missing: string; lookup: NameLookup },
  { timeZone, onCreated }: PreparationOptions,
): Promise<string> {
  const { table, nameField } = lookup.target;
  const key = lookup.createNameKey(name);
  return runInTurn(client, ['creation', key ? hashMatchKey(table, key) : name], async () => {
    const lookUp = async (isFresh: boolean) => (await lookup.findByNames([name], { isFresh })).get(name)?.[0];
    const existing = (await lookUp(false)) ?? (await lookUp(true));
    if (existing) return existing.id;
    const base = { table, key, find: () => lookUp(true) };
    const create = async () =>
      createRecord(client, { ...base, entries: encodeValue(normalizeSpaces(name), nameField, { timeZone }) });
    const { record } = await create().catch(async (failure: unknown) => {
      const target = await readTableName(client, table.id);
      const error = rewordError(failure, ({ message, description }) => ({
        message: `"${field.name}": the missing record ${formatForError(name)} was not created in ${target} (${message})`,
        description: `The record of this item was not written. ${description}`,
      }));
      // The record may exist. Later calls for the name throw this error, so that they create no second record.
      if (error instanceof ApiError && error.isOutcomeUnknown) await lookup.cacheResult(name, { error });
      throw asThrown(error);
    });
    await lookup.cacheResult(name, { records: [record] });
    // This look-up also stores the text of the record, which the output shows.
    await lookUp(false);
    onCreated?.(`Created the record ${formatForError(name)} (${record.id}) for "${field.name}".`);
    return record.id;
  });
}
