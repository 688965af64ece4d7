/**
 * Converts the values of one item, from the form or the input, to values that are sent. `ItemValues` reads the form
 * once. A write then has two phases: 1. `check`, for all items before the first is written, without requests
 * (`checkUpdate` may read the record). 2. `encode`, when the item is written: its files are read, its connected records
 * are found in one request with those of other items, and its values are encoded.
 */
import { type IDataObject, sleep } from 'n8n-workflow';
import {
  addDefaults,
  describeLostValues,
  encodeRecordValues,
  ensureValidOrHeld,
  type Field,
  getKind,
  type PayloadEntries,
  prepareEntries,
  readForUpdate,
  readGivenValues,
  type RecordValues,
  type Table,
} from '../../records';
import { type Client, InputError, memory, tryOr } from '../../service';
import { hasFile, readFileValues } from '../files/binaryInput';
import type { Item } from '../operation/item';
import { formatWritten, type WrittenRecord } from '../operation/recordOutput';
import {
  applyDefaultsOption,
  clearColumnsOption,
  readColumns,
  readConnectionChange,
  readConnectionNotation,
  unknownInputs,
} from './columnForm';

type EntryOptions = Parameters<typeof prepareEntries>[3];

/** What an operation does with the values of its items. */
interface ValueRules {
  /** What an item without any value cannot do, as its error says: `create`. By default, such an item is no error. */
  needsValue?: 'change' | 'create' | 'save' | 'update';
  /** The purpose of the look-up of connected records; `write` by default. */
  use?: EntryOptions['use'];
  /** Whether the values are for an existing record, which may already hold an invalid value: see `encodeRecordValues`. */
  comparesFirst?: boolean;
  /** For an operation that takes no files: what to do instead. */
  filesRemedy?: string;
}

/** The values of one item, by the fields of a table. */
export class ItemValues {
  /**
   * The values by payload key, as entered in the form or found in the input. null clears a field. The value of a File field
   * is the name of a binary field, or an address.
   */
  readonly values: RecordValues;
  /** The names or keys of the fields to match on. */
  readonly matchColumns: string[];
  private readonly isInput: boolean;

  /** @throws InputError for values that cannot be read, such as two values of one field */
  constructor(
    readonly item: Item,
    readonly table: Table,
    private readonly rules: ValueRules = {},
  ) {
    ({ values: this.values, matchColumns: this.matchColumns, isInput: this.isInput } = readForm(item, table));
  }

  /**
   * Checks the values by the fields of the table: unknown and computed fields, values that their fields cannot take, and
   * binary fields that the input lacks. No file is fetched, and no connected record is looked up.
   * @returns the payload entries, without files and connections
   * @throws InputError for a value that cannot be sent
   */
  check(): PayloadEntries {
    const { item, table, rules } = this;
    const given = Object.entries(this.values).filter(([key, value]) => {
      const { field } = table.resolvePayloadField(key, 'Fields');
      return value !== undefined && (!getKind(field).holdsFiles || hasFile(item, field, value));
    });
    this.ensureValue(given);
    const plain = given.filter(([key]) => {
      const { field } = table.resolvePayloadField(key, 'Fields');
      return !field.connection && !getKind(field).holdsFiles;
    });
    const context = { timeZone: item.timeZone, comparesFirst: rules.comparesFirst };
    return encodeRecordValues(Object.fromEntries(plain), table, context);
  }

  /**
   * Like `check`, but allows an invalid value that the record already holds. Reads the record only if a value is
   * invalid.
   */
  async checkUpdate(recordId: string, listNextIds: () => string[]): Promise<void> {
    const { item, table } = this;
    const read = () => readForUpdate(item.client, { table, recordId, listNextIds });
    await ensureValidOrHeld(table, this.check(), async () => (recordId === '' ? [] : [await read()]));
  }

  /**
   * Reads the files, finds the connected records and encodes the values. Nothing is written until `complete` is called.
   * @throws InputError for an unknown field, an invalid value or an unknown record
   */
  async prepare(): ReturnType<typeof prepareEntries> {
    const { item, table, rules } = this;
    const values = await readFileValues(item, table, this.values, rules.filesRemedy);
    const prepared = await prepareItemEntries(item, table, values, rules);
    this.ensureValue(prepared.preview);
    return prepared;
  }

  /** @throws InputError if no field has a value and the operation needs one */
  private ensureValue(given: unknown[]): void {
    const { needsValue } = this.rules;
    if (given.length > 0 || !needsValue) return;
    throw new InputError(
      `Nothing to ${needsValue}: no field has a value`,
      'Nothing was sent. Give at least one field a value. An expression may have returned nothing.',
    );
  }

  /** Like `prepare`, but also creates missing connected records when all values are valid. */
  async encode(): Promise<PayloadEntries> {
    return (await this.prepare()).complete();
  }

  /** Adds the hints of `addLostInputHints` if the values are the input of the item (Map Automatically). */
  addLostValueHints(records: object[]): void {
    if (this.isInput) addLostInputHints(this.item, this.table, records);
  }

  /** Converts the record that was written with these values to an item. */
  async formatWritten(
    written: WrittenRecord & { changedConnections?: Record<string, string[]> },
  ): Promise<IDataObject> {
    const { item, table } = this;
    const { action, record, before = record, changedConnections } = written;
    this.addLostValueHints(action === 'created' ? [] : [before, record]);
    const json = await formatWritten(item, table, written);
    if (!changedConnections) return json;
    const key = readConnectionChange(item) === 'add' ? '_connectionsAdded' : '_connectionsRemoved';
    return { ...json, [key]: changedConnections };
  }
}

/**
 * Adds a hint for each input value that cannot be written, unless a record shows the same value.
 * @param records the record before and after the write; none if it was created
 */
export function addLostInputHints({ inputValues, client }: Item, table: Table, records: object[]): void {
  const lost = describeLostValues(
    inputValues,
    table,
    records.map((record) => ({ ...record })),
  );
  for (const text of lost) client.notices.addHint(text);
}

/** Adds the defaults of fields without a value to the values of a new record, unless Apply Field Defaults is off. */
export const addFieldDefaults = async (
  item: Item,
  table: Table,
  entries: PayloadEntries,
): Promise<PayloadEntries> =>
  item.readOptionOrDefault(applyDefaultsOption)
    ? addDefaults(item.client, table, entries, item.timeZone)
    : entries;

function readForm(item: Item, table: Table) {
  const { as, values, matchColumns } = readColumns(item);
  const given = readGivenValues(as === 'rows' ? readMappedValues(item, values, table) : values, table, {
    as,
    notation: readConnectionNotation(item).notation,
    omitsUnknown: as === 'item' && item.read(unknownInputs) === 'ignore',
    cleared: item.readOptionOrDefault(clearColumnsOption),
  });
  return { values: given, matchColumns, isInput: as === 'item' };
}

/**
 * Returns the values for manual mapping. The editor stores null for an empty column, and an expression can return
 * null to clear a column. The node's parameters show whether a column has an expression. `value` comes from the
 * whole parameter `columns`, because n8n converts values when it reads `columns.value`: '' becomes 0, dates are
 * parsed in another time zone, and labels and lists are refused.
 */
function readMappedValues(item: Item, value: RecordValues, table: Table): RecordValues {
  const entries = Object.entries(value).flatMap(([key, mapped]): Array<[string, unknown]> => {
    if (mapped !== null && mapped !== undefined) return [[key, mapped]];
    if (!item.isExpression(['columns', 'value', key])) return [];
    if (mapped === null) return [[key, null]];
    item.client.notices.addHint(
      `"${table.find(key)?.field.name ?? key}" got no value where its expression found nothing. To clear the field there, end the expression with "?? null".`,
    );
    return [];
  });
  return Object.fromEntries(entries);
}

/**
 * Finds the connected records that an item names, in one request with the records of other items of the batch, and encodes
 * the values.
 * @throws InputError as `prepareEntries` does
 */
export function prepareItemEntries(
  item: Item,
  table: Table,
  values: RecordValues,
  preparation: Pick<EntryOptions, 'use' | 'allowsMissing' | 'comparesFirst' | 'resolve'>,
) {
  return prepareEntries(item.client, table, values, {
    ...readConnectionNotation(item),
    ...preparation,
    timeZone: item.timeZone,
    collectOthers: (field) => collectBatchValues(item, table, field),
    onCreated: (text) => item.effects.push(text),
  });
}

const getCollected = memory.attach<Client, Map<string, Promise<void>>>(
  'collectedBatches',
  { to: 'client', holds: 'the batches of items whose names of connected records were requested together' },
  () => new Map(),
);

/**
 * Returns the values of a connection in the item's batch to the first item that calls it, which then looks up all names. The
 * other items get none. An item with an error is left out, because its own run reports it.
 */
async function collectBatchValues(item: Item, table: Table, { slug }: Field): Promise<unknown[]> {
  const collected = getCollected(item.client);
  const key = JSON.stringify([table.id, slug, item.batch]);
  const isFirst = !collected.has(key);
  // The look-ups of earlier items start first: they may create a record of this name. The items of a batch share the pause
  // of 1 ms, because Sync reads up to 100,000 items one after the other.
  if (isFirst) collected.set(key, sleep(0));
  await collected.get(key);
  if (!isFirst) return [];
  return item.listBatchPeers().flatMap((peer) => {
    const given = tryOr(() => readForm(peer, table).values, {});
    return Object.hasOwn(given, slug) ? [given[slug]] : [];
  });
}
