/** Converts the values of one item, from the form or the input, to values that are sent. */
import { type IDataObject, sleep } from 'n8n-workflow';
import {
  addDefaults,
  describeLostValues,
  encodeRecordValues,
  ensureValidOrUnchanged,
  type Field,
  getKind,
  type PayloadEntries,
  prepareEntries,
  readRecordForUpdate,
  readGivenValues,
  type RecordValues,
  type Table,
} from '../../records';
import { type Client, InputError, memory, tryOr } from '../../service';
import { namesFile, readFileValues } from '../files/binaryInput';
import type { Item } from '../operation/item';
import { formatWrite, type WrittenRecord } from '../operation/recordOutput';
import {
  applyDefaultsOption,
  clearColumnsOption,
  readColumnForm,
  readConnectionChange,
  readConnectionNotation,
  unknownInputs,
} from './columnForm';

type EntryOptions = Parameters<typeof prepareEntries>[3];

/** What an operation does with the values of its items. */
interface ValueRules {
  /** The verb in the error for an item without any value: "Nothing to create". By default, such an item is no error. */
  needsValue?: 'change' | 'create' | 'save' | 'update';
  /** The purpose of the look-up of connected records; `write` by default. */
  use?: EntryOptions['use'];
  /** Whether the values are for an existing record. An invalid value that the record already holds is then no error. */
  comparesFirst?: boolean;
  /** The remedy in the error for a File field, if the operation takes no files. */
  filesRemedy?: string;
}

/**
 * The values of one item, from the form or the input. A write has two phases. `check` runs for all items before the first
 * is written, and sends no request; `checkUpdate` may read the record. `encodeEntries` runs when the item is written: it
 * reads files, finds connected records and encodes the values.
 */
export class ItemValues {
  /** The values by key of the request. null clears a field. A File field has a name of a binary field, or an address. */
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
   * Checks the values by the fields of the table: unknown and computed fields, values that do not fit, and binary fields
   * that the input lacks. No file is fetched, and no connected record is looked up.
   * @returns the entries of the request, without files and connections
   * @throws InputError for a value that cannot be sent
   */
  check(): PayloadEntries {
    const { item, table, rules } = this;
    const given = Object.entries(this.values).filter(([key, value]) => {
      const { field } = table.requireWritableRef(key, 'Fields');
      return value !== undefined && (!getKind(field).holdsFiles || namesFile(item, field, value));
    });
    this.ensureAnyValue(given);
    const plain = given.filter(([key]) => {
      const { field } = table.requireWritableRef(key, 'Fields');
      return !field.connection && !getKind(field).holdsFiles;
    });
    const context = { timeZone: item.timeZone, comparesFirst: rules.comparesFirst };
    return encodeRecordValues(Object.fromEntries(plain), table, context);
  }

  /** Like `check`, but allows an invalid value that the record already holds. Reads the record only if a value is invalid. */
  async checkUpdate(recordId: string, listNextIds: () => string[]): Promise<void> {
    const { item, table } = this;
    const read = () => readRecordForUpdate(item.client, { table, recordId, listNextIds });
    await ensureValidOrUnchanged(table, this.check(), async () => (recordId === '' ? [] : [await read()]));
  }

  /**
   * Reads the files, finds the connected records and encodes the values. Missing connected records are created only when
   * `complete` of the result is called.
   * @throws InputError for an unknown field, an invalid value or an unknown record
   */
  async prepareEntries(): ReturnType<typeof prepareEntries> {
    const { item, table, rules } = this;
    const values = await readFileValues(item, table, this.values, rules.filesRemedy);
    const prepared = await prepareItemEntries(item, table, values, rules);
    this.ensureAnyValue(prepared.preview);
    return prepared;
  }

  /** @throws InputError if no field has a value and the operation needs one */
  private ensureAnyValue(given: unknown[]): void {
    const { needsValue } = this.rules;
    if (given.length > 0 || !needsValue) return;
    throw new InputError(
      `Nothing to ${needsValue}: no field has a value`,
      'Nothing was sent. Give at least one field a value. An expression may have returned nothing.',
    );
  }

  /** Like `prepareEntries`, but also creates the missing connected records when all values are valid. */
  async encodeEntries(): Promise<PayloadEntries> {
    return (await this.prepareEntries()).complete();
  }

  /** Calls the function `addLostInputHints` if the values come from the input (Map Automatically). */
  addLostInputHints(records: object[]): void {
    if (this.isInput) addLostInputHints(this.item, this.table, records);
  }

  /** Converts the record that was written with these values to an item. */
  async formatWrite(
    written: WrittenRecord & { changedConnections?: Record<string, string[]> },
  ): Promise<IDataObject> {
    const { item, table } = this;
    const { action, record, before = record, changedConnections } = written;
    this.addLostInputHints(action === 'created' ? [] : [before, record]);
    const json = await formatWrite(item, table, written);
    if (!changedConnections) return json;
    const key = readConnectionChange(item) === 'add' ? '_connectionsAdded' : '_connectionsRemoved';
    return { ...json, [key]: changedConnections };
  }
}

/** Adds a hint for each input value that is lost: it cannot be written, and none of the given records has it. */
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

/** Reads the values of a record from the form of an item, by the keys of the request. */
function readForm(item: Item, table: Table) {
  const { as, values, matchColumns } = readColumnForm(item);
  const given = readGivenValues(as === 'rows' ? readMappedValues(item, values, table) : values, table, {
    as,
    notation: readConnectionNotation(item).notation,
    omitsUnknown: as === 'item' && item.read(unknownInputs) === 'ignore',
    cleared: item.readOptionOrDefault(clearColumnsOption),
  });
  return { values: given, matchColumns, isInput: as === 'item' };
}

/**
 * Returns the values that the user mapped field by field. The editor stores null for an empty column, so null counts only
 * where an expression returned it. `value` comes from the whole parameter `columns`, because n8n converts values when it
 * reads `columns.value`: '' becomes 0, dates are parsed in another time zone, and labels and lists are refused.
 */
function readMappedValues(item: Item, value: RecordValues, table: Table): RecordValues {
  const entries = Object.entries(value).flatMap(([key, mapped]): Array<[string, unknown]> => {
    if (mapped !== null && mapped !== undefined) return [[key, mapped]];
    if (!item.isExpression(['columns', 'value', key])) return [];
    if (mapped === null) return [[key, null]];
    item.client.notices.addHint(
      `"${table.findRef(key)?.field.name ?? key}" got no value where its expression found nothing. To clear the field there, end the expression with "?? null".`,
    );
    return [];
  });
  return Object.fromEntries(entries);
}

/**
 * Encodes the values of an item. Its names of connected records are looked up together with those of its batch.
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

const getCollectedBatches = memory.attach<Client, Map<string, Promise<void>>>(
  'collectedBatches',
  { to: 'client', holds: 'the batches of items whose names of connected records were requested together' },
  () => new Map(),
);

/**
 * Lists the values that the items of a batch give for a connection. Only the first item that calls this function gets the
 * list, and looks up all names. The other items get an empty list. An item whose values cannot be read is left out: its
 * own run reports the error.
 */
async function collectBatchValues(item: Item, table: Table, { slug }: Field): Promise<unknown[]> {
  const collected = getCollectedBatches(item.client);
  const key = JSON.stringify([table.id, slug, item.batch]);
  const isFirst = !collected.has(key);
  // Look-ups of earlier items start during this pause: they may create a record that this item names. The items of a
  // batch share one pause of 1 ms, because Sync reads up to 100,000 items one after the other.
  if (isFirst) collected.set(key, sleep(0));
  await collected.get(key);
  if (!isFirst) return [];
  return item.listBatchItems().flatMap((peer) => {
    const given = tryOr(() => readForm(peer, table).values, {});
    return Object.hasOwn(given, slug) ? [given[slug]] : [];
  });
}
