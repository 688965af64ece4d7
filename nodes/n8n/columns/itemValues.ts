/** The values of one item as they are sent. They come from the form or from the input. */
import { type IDataObject, sleep } from 'n8n-workflow';
import {
  addDefaultValues,
  describeLostValues,
  encodeRecordValues,
  ensureValidOrUnchanged,
  type Field,
  getKind,
  omitConnectionLists,
  type PayloadEntries,
  prepareEntries,
  readRecordForUpdate,
  selectValuesToWrite,
  type RecordValues,
  type Table,
} from '../../records';
import { type Client, InputError, memory, tryOr } from '../../service';
import { hasFileSource, readFileValues } from '../files/binaryInput';
import type { Item } from '../operation/item';
import { formatWrite, type WrittenRecord } from '../operation/recordOutput';
import {
  applyDefaultsOption,
  clearColumnsOption,
  readColumnForm,
  readConnectionChange,
  readConnectionNotation,
  unknownInputsParameter,
} from './columnForm';

type EntryOptions = Parameters<typeof prepareEntries>[3];

interface ValueRules {
  /** The verb in the error for an item without any value: "Nothing to create". Default: no error. */
  needsValue?: 'change' | 'create' | 'save' | 'update';
  /** What the entries are for; `write` by default. */
  use?: EntryOptions['use'];
  /** Whether an invalid value is allowed if the record already has this value. */
  allowsRefused?: boolean;
  /** The remedy in the error for a File field, if the operation takes no files. */
  filesRemedy?: string;
}

/**
 * `check` or `checkUpdate` runs for all items before the first one is written. `check` sends no request;
 * `checkUpdate` may read the record. `encodeEntries` runs when the item is written. It reads files and finds
 * connected records.
 */
export class ItemValues {
  /** By payload key. null clears a field. For a File field, the value is an address or the name of a binary field. */
  readonly values: RecordValues;
  /** Names or keys of the columns to match on. */
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
   * Checks the values, but reads no files and finds no connected records. Returns the entries of other fields.
   * @throws InputError for a value that cannot be sent, or a binary field that the input lacks
   */
  check(): PayloadEntries {
    const { item, table, rules } = this;
    const given = Object.entries(this.values).filter(([key, value]) => {
      const { field } = table.requireWritableRef(key, 'Fields');
      return value !== undefined && (!getKind(field).holdsFiles || hasFileSource(item, field, value));
    });
    this.ensureAnyValue(given);
    const plain = given.filter(([key]) => {
      const { field } = table.requireWritableRef(key, 'Fields');
      return !field.connection && !getKind(field).holdsFiles;
    });
    const context = { timeZone: item.timeZone, allowsRefused: rules.allowsRefused };
    return encodeRecordValues(Object.fromEntries(plain), table, context);
  }

  /** Allows an invalid value that the record already holds. Reads the record only if a value is invalid. */
  async checkUpdate(recordId: string, listNextIds: () => string[]): Promise<void> {
    const { item, table } = this;
    const read = () => readRecordForUpdate(item.client, { table, recordId, listNextIds });
    await ensureValidOrUnchanged(table, this.check(), async () => (recordId === '' ? [] : [await read()]));
  }

  /**
   * `complete` of the result creates missing connected records.
   * @throws InputError for an unknown field, an invalid value or an unknown record
   */
  async prepareEntries(): ReturnType<typeof prepareEntries> {
    const { item, table, rules } = this;
    const values = await readFileValues(item, table, this.values, rules.filesRemedy);
    const prepared = await prepareEntriesInBatch(item, table, values, rules);
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

  /** Creates missing connected records when all values are valid. */
  async encodeEntries(): Promise<PayloadEntries> {
    return (await this.prepareEntries()).complete();
  }

  /** Adds hints only if the values come from the input (Map Automatically). */
  addLostInputHints(records: object[]): void {
    if (this.isInput) addLostInputHints(this.item, this.table, records);
  }

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

/** Adds a hint for each input value that cannot be written, and that none of the given records has. */
export function addLostInputHints({ inputValues, client }: Item, table: Table, records: object[]): void {
  const lost = describeLostValues(
    inputValues,
    table,
    records.map((record) => ({ ...record })),
  );
  for (const text of lost) client.notices.addHint(text);
}

/** Adds the defaults of fields without a value, unless Apply Field Defaults is off. */
export const addFieldDefaults = async (
  item: Item,
  table: Table,
  entries: PayloadEntries,
): Promise<PayloadEntries> =>
  item.readOptionOrDefault(applyDefaultsOption)
    ? addDefaultValues(item.client, table, entries, item.timeZone)
    : entries;

/** Leaves out connections to remove, because a new record has none. */
export const omitRemovedConnections = (item: Item, table: Table, entries: PayloadEntries): PayloadEntries =>
  readConnectionChange(item) === 'remove' ? omitConnectionLists(table, entries) : entries;

function readForm(item: Item, table: Table) {
  const { as, values, matchColumns } = readColumnForm(item);
  const given = selectValuesToWrite(as === 'rows' ? readMappedValues(item, values, table) : values, table, {
    as,
    notation: readConnectionNotation(item).notation,
    omitsUnknown: as === 'item' && item.read(unknownInputsParameter) === 'ignore',
    cleared: item.readOptionOrDefault(clearColumnsOption),
  });
  return { values: given, matchColumns, isInput: as === 'item' };
}

/**
 * Returns null only for columns whose expression returned null, because the editor stores null for an empty
 * column. `value` must come from the whole parameter `columns`. If the node read `columns.value`, n8n would
 * change '' to 0, parse dates in another time zone, and refuse labels and lists.
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

/** Looks up names together with the other names of the batch. @throws InputError as `prepareEntries` does */
export function prepareEntriesInBatch(
  item: Item,
  table: Table,
  values: RecordValues,
  preparation: Pick<EntryOptions, 'use' | 'allowsMissing' | 'allowsRefused' | 'resolve'>,
) {
  return prepareEntries(item.client, table, values, {
    ...readConnectionNotation(item),
    ...preparation,
    timeZone: item.timeZone,
    collectOthers: (field) => collectBatchValues(item, table, field),
    onCreated: (text) => item.effects.push(text),
  });
}

const getBatchPauses = memory.attach<Client, Map<string, Promise<void>>>(
  'collectedBatches',
  { to: 'client', holds: 'the batches of items whose names of connected records were requested together' },
  () => new Map(),
);

/**
 * The first item that calls this gets the values of the whole batch, and looks up all names. The other items
 * get an empty list. An item whose values cannot be read is left out: its run reports the error.
 */
async function collectBatchValues(item: Item, table: Table, { slug }: Field): Promise<unknown[]> {
  const pauses = getBatchPauses(item.client);
  const key = JSON.stringify([table.id, slug, item.batchNumber]);
  const isFirst = !pauses.has(key);
  // Look-ups of earlier items start during this pause: they may create a record that this item names. A batch
  // shares one pause of 1 ms, because Sync reads up to 100,000 items one after the other.
  if (isFirst) pauses.set(key, sleep(0));
  await pauses.get(key);
  if (!isFirst) return [];
  return item.listBatchItems().flatMap((peer) => {
    const given = tryOr(() => readForm(peer, table).values, {});
    return Object.hasOwn(given, slug) ? [given[slug]] : [];
  });
}
