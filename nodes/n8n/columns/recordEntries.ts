import { chunk, uniq } from 'lodash';
import { sleep } from 'n8n-workflow';
import {
  type ConnectionUse,
  createOnce,
  createRecord,
  createUnknownFieldError,
  divideValues,
  encodeDefault,
  encodeRecordValues,
  encodeValue,
  explainReadOnly,
  fetchTableName,
  type Field,
  formatPayloadKey,
  getKind,
  getValueField,
  joinTextsAndIds,
  type LeftOutValue,
  listLostValues,
  type NameLookup,
  omitAddedKeys,
  type PayloadEntries,
  resolveConnection,
  type ResolvedConnection,
  type Table,
} from '../../records';
import {
  ApiError,
  asThrown,
  type Client,
  type CreatedRecord,
  cutName,
  findFieldTexts,
  formatFieldErrors,
  formatForError,
  InputError,
  joinFirst,
  memory,
  toNameKey,
  tryOr,
} from '../../service';
import { hasFile, readFileValues } from '../files/binaryInput';
import { tableLocator } from '../lists/tablePickers';
import type { Item } from '../operation/item';
import {
  clearColumnsOption,
  columnsJson,
  columnsMode,
  parseColumnsJson,
  readColumnMapping,
  readConnectionNotation,
  unknownInputs,
} from './columnForm';

/** The values of one item by payload key, as entered in the form or found in the input. They are not encoded. */
export type FormValues = Record<string, unknown>;

/** Whether a key names a column that can be written. @throws InputError for a name of several columns */
const isKnownKey = (key: string, table: Table): boolean => table.find(key)?.field.computed === false;

/**
 * Returns the values for automatic mapping: all keys of the input that can be written. A record from another
 * operation can therefore be written back.
 */
function readInputValues(item: Item, table?: Table): FormValues {
  if (!table) return omitAddedKeys(item.input.json);
  const ignoresUnknown = item.read(unknownInputs) === 'ignore';
  const { notation } = readConnectionNotation(item);
  const values = joinTextsAndIds(divideValues(item.input.json, table).writable, table, notation);
  const entries = Object.entries(values).filter(([key]) => !ignoresUnknown || isKnownKey(key, table));
  if (ignoresUnknown && entries.length === 0) throw createNothingKnownError(item);
  for (const [key] of entries) ensureKnownInput(key, table);
  return Object.fromEntries(entries);
}

const explainLeftOut = ({ key, value, field }: LeftOutValue): string => {
  if (!field)
    return `The key ${formatForError(key)} of the input was not written: no field of the table has this name.`;
  if (field.computed) return `"${field.name}" was not written: ${explainReadOnly(field)}.`;
  return getKind(field).holdsFiles
    ? `"${field.name}" was not written: Map Automatically sends no file that has an address. To send one, map the field yourself, and give the address or the name of a binary field of the input.`
    : `"${field.name}" was not written: ${formatForError(value)} cannot be written.`;
};

/**
 * Adds a hint for each value of the input that was not written because it cannot be, unless a record shows that value.
 * @param records the record before and after the write; none if it was created
 */
export function hintLeftOut(item: Item, table: Table, records: object[]): void {
  if (item.read(columnsMode) === 'json' || !readColumnMapping(item).isAutomatic) return;
  const { leftOut } = divideValues(item.input.json, table);
  const lost = listLostValues(
    leftOut,
    table,
    records.map((record) => ({ ...record })),
  );
  for (const one of lost) item.client.notices.addHint(explainLeftOut(one));
}

/** @throws InputError for a key of the input that is no column. Its remedy names the setting for such keys. */
function ensureKnownInput(key: string, table: Table): void {
  if (table.find(key)) return;
  const names = table.writableFields.map(({ slug }) => slug);
  const error = createUnknownFieldError(table, key, 'Fields', names);
  const setting = 'To leave out keys of the input that are no fields, set Unknown Inputs to Ignore.';
  throw error.explain({ description: `${setting} ${error.description}` });
}

/** Without any column, a create would make an empty record for each item. */
function createNothingKnownError(item: Item): InputError {
  const keys = Object.keys(item.input.json).map((key) => formatForError(key));
  return new InputError(
    'Fields: no key of the input is a field of the table',
    `Nothing was sent. The keys of the input are: ${joinFirst(keys) || 'none'}. Rename them, or map the fields yourself.`,
  );
}

/**
 * Returns the values for manual mapping. The editor stores null for an empty column, and an expression can return
 * null to clear a column. The node's parameters show whether a column has an expression. `value` comes from the
 * whole parameter `columns`, because n8n converts values when it reads `columns.value`: '' becomes 0, dates are
 * parsed in another time zone, and labels and lists are refused.
 */
function readMappedValues(item: Item, value: FormValues, table?: Table): FormValues {
  const entries = Object.entries(value).flatMap(([key, mapped]): Array<[string, unknown]> => {
    if (mapped !== null && mapped !== undefined) return [[key, mapped]];
    if (!item.isExpression(['columns', 'value', key])) return [];
    if (mapped === null) return [[key, null]];
    item.client.notices.addHint(
      `"${table?.find(key)?.field.name ?? key}" got no value where its expression found nothing. To clear the field there, end the expression with "?? null".`,
    );
    return [];
  });
  return Object.fromEntries(entries);
}

/**
 * Returns the item's values from the column mapper and from "Columns to Clear". null clears a column. The value
 * of a File column is the name of a binary field, or an address. Without `table`, the keys of the input are not checked.
 */
export function readFormValues(item: Item, table?: Table): FormValues {
  const cleared = item.readOptionOrDefault(clearColumnsOption).map((slug) => [slug, null]);
  return toPayloadKeys({ ...readGivenValues(item, table), ...Object.fromEntries(cleared) }, table);
}

function readGivenValues(item: Item, table?: Table): FormValues {
  if (item.read(columnsMode) === 'json') {
    const values = omitAddedKeys(parseColumnsJson(item.read(columnsJson), table), table);
    return table ? joinTextsAndIds(values, table, readConnectionNotation(item).notation) : values;
  }
  const { isAutomatic, values } = readColumnMapping(item);
  return isAutomatic ? readInputValues(item, table) : readMappedValues(item, values, table);
}

/**
 * Replaces the names of columns by their payload keys. Unknown names stay, and are reported when the values are
 * encoded. @throws InputError when two names mean the same column
 */
function toPayloadKeys(values: FormValues, table?: Table): FormValues {
  const names = new Map<string, string>();
  for (const name of Object.keys(values)) {
    const ref = table?.find(name);
    const key = ref ? formatPayloadKey(ref) : name;
    const other = names.get(key);
    if (other !== undefined) {
      throw new InputError(
        `Fields: "${ref?.field.name ?? key}" is given twice, as "${other}" and "${name}"`,
        'Nothing was sent. Give each field once.',
      );
    }
    names.set(key, name);
  }
  return Object.fromEntries([...names].map(([key, name]) => [key, values[name]]));
}

/**
 * Adds the configured defaults of the fields that are not named. The service does not apply them (spec: Record). An item
 * without any value gets none: it is an error, not a record of defaults. A unique field gets none, because a second
 * record could not have it.
 */
export function applyDefaults(values: Record<string, unknown>, table: Table): Record<string, unknown> {
  if (Object.values(values).every((value) => value === undefined)) return values;
  const given = new Set(
    Object.keys(values).map((key) => table.resolvePayloadField(key, 'Fields').field.slug),
  );
  const defaults = table.writableFields
    .filter((field) => !given.has(field.slug) && !field.unique && encodeDefault(field).length > 0)
    .map(({ slug, defaultValue }) => [slug, defaultValue]);
  return { ...Object.fromEntries(defaults), ...values };
}

const creations = memory.queue('creations', { per: 'app', holds: 'creates of one missing connected record' });

async function sendCreate(item: Item, { target }: NameLookup, name: string): Promise<CreatedRecord> {
  const entries = encodeValue(name, target.nameField, { timeZone: item.timeZone });
  return createRecord(item.client, { table: target.table, entries });
}

/** Names the connection and the record in the error of a create. */
async function explainFailedCreate(
  item: Item,
  field: Field,
  lookup: NameLookup,
  name: string,
  error: unknown,
) {
  if (!(error instanceof ApiError)) return error;
  const table = await fetchTableName(item.client, lookup.target.table.id);
  return error.explain({
    message: `"${field.name}": the missing record ${formatForError(name)} was not created in ${table} (${error.message})`,
    description: `The record of this item was not written. ${error.description}`,
  });
}

/**
 * Creates the record of a name in the connected table, and returns its ID. Items that need the same name at the same
 * time share one record: each looks the name up again before it creates.
 * @throws ApiError when the create fails; the record of the item is not written then
 */
async function createMissingRecord(item: Item, field: Field, lookup: NameLookup, name: string) {
  return creations.run(item.client, [lookup.target.table.id, toNameKey(name)], async () => {
    const [known] = (await lookup.find([name])).get(name) ?? [];
    const [existing] = known === undefined ? await lookup.findAnew(name) : [known];
    if (existing !== undefined) return existing;
    const find = async () => {
      const [id] = await lookup.findAnew(name);
      return id === undefined ? undefined : { id };
    };
    const created = createOnce(item.client, { send: () => sendCreate(item, lookup, name), find });
    const { body } = await created.catch(async (error: unknown) => {
      throw asThrown(await explainFailedCreate(item, field, lookup, name, error));
    });
    const { id } = body;
    await lookup.remember(name, id);
    item.noteEffect(`Created the record ${formatForError(name)} (${id}) for "${field.name}".`);
    return id;
  });
}

const getGroupValues = memory.attached<Client, Map<string, Promise<unknown[]>>>(
  'groupValues',
  {
    to: 'client',
    holds: 'the values of a connection in a group of items, whose names are requested together',
  },
  () => new Map(),
);

const findConnection = (table: Table, key: string): Field | undefined => {
  const ref = table.find(key);
  return ref && !ref.part && ref.field.connection ? ref.field : undefined;
};

/**
 * Reads the values of one field of another item. Returns none if the item has an error, because the run of that item
 * reports it.
 */
function readFieldValues(item: Item, table: Table, field: Field): unknown[] {
  try {
    const entries = Object.entries(readFormValues(item, table));
    return entries.filter(([key]) => findConnection(table, key) === field).map(([, value]) => value);
  } catch {
    return [];
  }
}

/** Number of items whose values are read before n8n can work on something else. */
const ITEMS_PER_TURN = 50;

/**
 * Returns the values of a field in the item's group, to the first item that needs them. The other items wait, so that
 * their names are requested together.
 */
async function collectGroupValues(item: Item, table: Table, field: Field): Promise<unknown[]> {
  const key = JSON.stringify([table.id, field.slug, item.group]);
  const groups = getGroupValues(item.client);
  const started = groups.get(key);
  if (started) {
    await started;
    return [];
  }
  const values = readGroupValues(item, table, field);
  groups.set(key, values);
  const collected = await values;
  groups.set(key, Promise.resolve([]));
  return collected;
}

async function readGroupValues(item: Item, table: Table, field: Field): Promise<unknown[]> {
  const values: unknown[] = [];
  for (const peers of chunk(await item.openGroup(), ITEMS_PER_TURN)) {
    values.push(...peers.flatMap((peer) => readFieldValues(peer, table, field)));
    await sleep(0);
  }
  return values;
}

/** A value whose connected records may have to be created first. Nothing is written until `complete` is called. */
interface Prepared<T> {
  /** The value, with a name in place of each missing connected record. It can be checked. */
  preview: T;
  /** Whether connected records are missing, so that the preview cannot be sent. */
  hasMissing: boolean;
  /** Creates the missing connected records and returns the value. @throws ApiError when a create fails */
  complete: () => Promise<T>;
}

/** Creates the missing records of a connection one after the other: two of them may have the same name. */
async function completeConnection(item: Item, { field, records }: ResolvedConnection): Promise<string[]> {
  const ids: string[] = [];
  for (const record of records) {
    if ('id' in record) ids.push(record.id);
    else ids.push(await createMissingRecord(item, field, record.lookup, record.missing));
  }
  return uniq(ids);
}

/**
 * Finds the records that the item's connections name.
 * @param options `allowsMissing`: whether a name that no record has is no error, also without Create Missing
 * @throws InputError for a name or ID that no record has, for a name that several records have, and for a text that is not
 *   that of the ID beside it
 */
export async function resolveConnections(
  item: Item,
  table: Table,
  values: FormValues,
  use: ConnectionUse,
  { allowsMissing = false } = {},
): Promise<Prepared<FormValues>> {
  const { notation, createsMissing } = readConnectionNotation(item);
  const settings = { use, notation, allowsMissing: allowsMissing || createsMissing };
  const connections = Object.entries(values).flatMap(([key, value]) => {
    const field = findConnection(table, key);
    if (!field || value === undefined) return [];
    const collectOthers = () => collectGroupValues(item, table, field);
    const connection = resolveConnection(item.client, field, value, settings, collectOthers);
    return [connection.then((resolved): [string, ResolvedConnection] => [key, resolved])];
  });
  const resolved = await Promise.all(connections);
  const listTexts = ({ records }: ResolvedConnection) =>
    uniq(records.map((record) => ('id' in record ? record.id : record.missing)));
  return {
    preview: Object.fromEntries(resolved.map(([key, connection]) => [key, listTexts(connection)])),
    hasMissing: resolved.some(([, { records }]) => records.some((record) => 'missing' in record)),
    async complete() {
      const entries: Array<[string, string[]]> = [];
      for (const [key, connection] of resolved)
        entries.push([key, await completeConnection(item, connection)]);
      return Object.fromEntries(entries);
    },
  };
}

/** Encodes values for the payload. @throws InputError for an unknown column or an invalid value */
export const encodeValues = (item: Item, table: Table, values: FormValues): PayloadEntries =>
  encodeRecordValues(values, table, {
    timeZone: item.timeZone,
    hint: (text) => item.client.notices.addHint(text),
  });

interface ReadEntriesOptions {
  withDefaults?: boolean;
  /** What the connected records are looked up for: `write` by default. */
  use?: ConnectionUse;
  /** For an operation that takes no files: what to do instead. */
  filesRemedy?: string;
}

/**
 * Reads the form, reads the files, finds the connected records, applies the defaults and encodes the values. Every
 * operation that writes records uses this function. Nothing is written until `complete` is called.
 * @throws InputError for an unknown column, an invalid value or an unknown record
 */
export async function prepareRecordEntries(
  item: Item,
  table: Table,
  { withDefaults = false, use = 'write', filesRemedy }: ReadEntriesOptions = {},
): Promise<Prepared<PayloadEntries>> {
  const values = await readFileValues(item, table, readFormValues(item, table), filesRemedy);
  const encode = (connections: FormValues) => {
    const all = { ...values, ...connections };
    return encodeValues(item, table, withDefaults ? applyDefaults(all, table) : all);
  };
  const connections = await resolveConnections(item, table, values, use);
  const preview = encode(connections.preview);
  const { hasMissing, complete } = connections;
  return { preview, hasMissing, complete: async () => (hasMissing ? encode(await complete()) : preview) };
}

/** Reads the values of a record. Missing connected records are created when all values are valid. */
export async function readRecordEntries(
  item: Item,
  table: Table,
  options?: ReadEntriesOptions,
): Promise<PayloadEntries> {
  const { complete } = await prepareRecordEntries(item, table, options);
  return complete();
}

/**
 * Checks the values of an item by the fields of the table: unknown and computed fields, values that their fields cannot take,
 * and binary fields that the input lacks. No file is fetched, and no connected record is looked up.
 * @param nothing the error of an item without any value. By default there is none
 * @returns the payload entries, without files and connections
 * @throws InputError
 */
export function checkRecordValues(
  item: Item,
  table: Table,
  { withDefaults = false, nothing }: { withDefaults?: boolean; nothing?: () => InputError } = {},
): PayloadEntries {
  const given = readFormValues(item, table);
  const all = Object.entries(withDefaults ? applyDefaults(given, table) : given);
  const refs = all.map(([key, value]) => ({
    value,
    field: getValueField(table.resolvePayloadField(key, 'Fields')),
  }));
  const values = refs.filter(
    ({ field, value }) => value !== undefined && (!getKind(field).holdsFiles || hasFile(item, field, value)),
  );
  if (values.length === 0 && nothing) throw nothing();
  return values.flatMap(({ field, value }) =>
    field.connection || getKind(field).holdsFiles
      ? []
      : encodeValue(value, field, { timeZone: item.timeZone }),
  );
}

/** What the service says about a value, and the sentence of a form. `name` is the name of the field. */
const REFUSALS: Array<[said: RegExp, say: (name: string, value: string) => string]> = [
  [/\bunique\b/i, (name, value) => `Another record already has the ${name}${value}`],
  [/\brequired\b/i, (name) => `${name} is required`],
];

/**
 * Words a refusal of values by the names of the fields: "email: This field is unique" becomes `Another record already has
 * the Email "ada@example.com"` (spec: Errors, the messages in `errors`). Any other error is returned unchanged.
 * @param remedy what the operation offers for a value that another record has
 */
export async function explainRefusedValues(
  item: Item,
  error: unknown,
  remedy: string | ((table: Table | undefined) => string),
): Promise<unknown> {
  if (!(error instanceof ApiError) || error.status !== 422) return error;
  const table = await item.getTable(item.read(tableLocator)).catch(() => undefined);
  return nameRefusedValues(item, table, error, typeof remedy === 'string' ? remedy : remedy(table));
}

/** Does the same as `explainRefusedValues` for a table that is known. */
export function nameRefusedValues(
  item: Item,
  table: Table | undefined,
  error: unknown,
  remedy = '',
): unknown {
  if (!(error instanceof ApiError) || error.status !== 422) return error;
  const { fieldErrors, message, description } = error;
  const given = formatFieldErrors(fieldErrors);
  if (given === '' || !message.endsWith(`(${given})`)) return error;
  const values = tryOr(() => readFormValues(item, table), {});
  const texts = Object.values(fieldErrors).flatMap(findFieldTexts);
  const taken = texts.filter((text) => /\bunique\b/i.test(text));
  const sentences = Object.entries(fieldErrors).flatMap(([slug, said]) => {
    const field = table?.findField(slug);
    const name = cutName(field?.name ?? slug);
    const value = slug in values ? ` ${formatForError(values[slug])}` : '';
    return findFieldTexts(said).map(
      (text) => REFUSALS.find(([pattern]) => pattern.test(text))?.[1](name, value) ?? `${name}: ${text}`,
    );
  });
  const hasRemedy = taken.length > 0 && remedy !== '';
  // The remedy says all where every refused value belongs to another record.
  const general =
    hasRemedy && taken.length === texts.length ? 'Nothing of this item was saved.' : description;
  return error.explain({
    message: sentences.join('; '),
    description: hasRemedy ? `${remedy} ${general}` : general,
  });
}
