/** What the trigger stores: in n8n's static data, which survives a restart, and in the memory of the process. */
import { isEmpty, isEqual } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { hashValue, type RecordValues, type Table } from '../records';
import { asObject, memory, parseJson } from '../service';

/** Spec: Events. */
export const RECORD_EVENTS = ['INSERT', 'UPDATE', 'DELETE'] as const;
export type RecordEvent = (typeof RECORD_EVENTS)[number];

/** Spec: Events. */
export interface Delivery {
  event: RecordEvent;
  tableId: string;
  tableName: string;
  recordId: string;
  record: Record<string, unknown>;
  /** ISO 8601, UTC; empty if the delivery has no timestamp. */
  timestamp: string;
  /** Milliseconds of Unix time. */
  receivedAt: number;
}

/** Maximum size of the static data of one trigger. n8n writes all of it if a delivery changes a part. */
const MAX_STATIC_DATA_BYTES = 50_000;

const countBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Maximum number of field values, and of deliveries, that a trigger keeps in memory: 2 MB of short values. */
const MAX_ENTRIES_IN_MEMORY = 20_000;

function setNewestEntry<V>(entries: Map<string, V>, key: string, value: V): void {
  entries.delete(key);
  entries.set(key, value);
  const [oldest = key] = entries.keys();
  if (entries.size > MAX_ENTRIES_IN_MEMORY) entries.delete(oldest);
}

export const FIELD_HASH_LENGTH = 8;

const ENTRY_KEY_LENGTH = 10;
const TIME_DIGITS = 9;

/** An entry of `LastValues` contains the time of the event, the hash of the value, and then the value. */
const VALUE_START = TIME_DIGITS + FIELD_HASH_LENGTH;

/** Bytes of an entry without its value. The line break at its end has two bytes in JSON. */
const MIN_ENTRY_BYTES = ENTRY_KEY_LENGTH + VALUE_START + 2;

/** Replaces a hash if two events with the same timestamp had different values. */
const NO_HASH = '?'.repeat(FIELD_HASH_LENGTH);

/** Used in place of a slug if a delivery contains no watched field: some services deliver only changed fields. */
const NO_FIELD_SLUG = '';

/** Returns a number in base 36 with a fixed length, so that these texts sort by time. */
const encodeTime = (milliseconds: number): string =>
  Math.max(0, milliseconds).toString(36).padStart(TIME_DIGITS, '0');

/** Returns the time of arrival if the event has no timestamp. */
const getEventTime = ({ timestamp, receivedAt }: Delivery): number => Date.parse(timestamp) || receivedAt;

/** By slug: the hash of the value, then the result of `pickShortValues` as JSON (`{}` for a long value). */
type HashedValuesBySlug = Map<string, string>;

/**
 * Events may arrive out of order, so the value of the later event is kept. Two different values with the same timestamp
 * make the value unknown, and an unknown value differs from any other.
 */
export class LastValues {
  /** The key is a hash of table, record and field. The text contains the time, the hash of the value, and the value. */
  private readonly entries = new Map<string, string>();
  /** The last text of the entries that was read from the static data or written to the static data. */
  private text = '';

  /**
   * A delivery without any watched field shows no change, unless it is the first one of its record.
   * @returns slugs; null if the record has no earlier values
   */
  findChangedSlugs(delivery: Delivery, slugs: string[], values: HashedValuesBySlug): string[] | null {
    const find = (slug: string) => this.entries.get(createEntryKey(delivery, slug));
    const isReceived = values.size === 0 && find(NO_FIELD_SLUG) !== undefined;
    if (!isReceived && slugs.every((slug) => find(slug) === undefined)) return null;
    return [...values]
      .filter(
        ([slug, value]) => find(slug)?.slice(TIME_DIGITS, VALUE_START) !== value.slice(0, FIELD_HASH_LENGTH),
      )
      .map(([slug]) => slug);
  }

  /** Returns the value and its display value (`<slug>_val`); `{}` if the value is unknown, or from a later event. */
  findValuesBefore(delivery: Delivery, slug: string): RecordValues {
    const entry = this.entries.get(createEntryKey(delivery, slug)) ?? '';
    const isEarlier = entry.slice(0, TIME_DIGITS) <= encodeTime(getEventTime(delivery));
    return asObject(isEarlier && parseJson(entry.slice(VALUE_START)));
  }

  /** A delivery without watched fields is stored under `NO_FIELD_SLUG`. */
  store(delivery: Delivery, values: HashedValuesBySlug): void {
    const time = encodeTime(getEventTime(delivery));
    for (const [slug, value] of values) this.mergeEntry(createEntryKey(delivery, slug), time + value);
    if (values.size === 0) this.mergeEntry(createEntryKey(delivery, NO_FIELD_SLUG), time + NO_HASH);
  }

  /** Merges values that another process, or this process before a restart, has saved. */
  mergeSavedEntries(saved: string): void {
    if (saved === this.text) return;
    this.text = saved;
    for (const line of saved.split('\n')) {
      const [key, entry] = [line.slice(0, ENTRY_KEY_LENGTH), line.slice(ENTRY_KEY_LENGTH)];
      if (entry.length === VALUE_START || entry[VALUE_START] === '{') this.mergeEntry(key, entry);
    }
  }

  /**
   * Returns text that has at most `maxLength` bytes as JSON. Entries with values use at most half of these bytes. The
   * other entries are saved without values: their hashes are still needed to find changes.
   */
  formatEntries(maxLength: number): string {
    const surplus = this.entries.size - Math.ceil(maxLength / (ENTRY_KEY_LENGTH + VALUE_START));
    const newest = [...this.entries].slice(Math.max(0, surplus));
    const lines: string[] = [];
    let length = 0;
    for (const [key, entry] of newest.reverse()) {
      const whole = entry.length === VALUE_START ? MIN_ENTRY_BYTES : countBytes(key + entry);
      const isWhole = whole === MIN_ENTRY_BYTES || length + whole <= maxLength / 2;
      length += isWhole ? whole : MIN_ENTRY_BYTES;
      if (length > maxLength) break;
      lines.push(key + (isWhole ? entry : entry.slice(0, VALUE_START)));
    }
    return (this.text = lines.reverse().join('\n'));
  }

  /** Keeps the entry with the later time. Two values with the same time make the hash `NO_HASH`. */
  private mergeEntry(key: string, next: string): void {
    const old = this.entries.get(key);
    if (old === undefined) return this.setEntry(key, next);
    const [oldTime, nextTime] = [old.slice(0, TIME_DIGITS), next.slice(0, TIME_DIGITS)];
    if (oldTime !== nextTime) return this.setEntry(key, oldTime < nextTime ? next : old);
    if (old.slice(0, VALUE_START) !== next.slice(0, VALUE_START))
      return this.setEntry(key, oldTime + NO_HASH);
    // Times and hashes are equal. A saved entry may lack the value after its hash, so the longer entry is stored.
    this.setEntry(key, old.length < next.length ? next : old);
  }

  private setEntry(key: string, value: string): void {
    setNewestEntry(this.entries, key, value);
  }
}

const createEntryKey = ({ tableId, recordId }: Delivery, slug: string): string =>
  hashValue([tableId, recordId, slug], ENTRY_KEY_LENGTH);

/**
 * If n8n loses this data, publishing the workflow again writes all but `values`. `values` is one text, because n8n
 * copies and observes every entry of a list or object on each delivery.
 */
export interface StaticData {
  ids: string[];
  tables: string[];
  /** All webhook URLs for which a subscription may exist. */
  addresses: string[];
  /** Hashes of the tokens of the subscriptions. They are needed after a change of the App Secret. */
  tokens: string[];
  /** The last values of the watched fields (`LastValues.formatEntries`). */
  values: string;
}

const EMPTY_STATIC_DATA: StaticData = { ids: [], tables: [], addresses: [], tokens: [], values: '' };

/** Ignores data of another owner: an imported workflow may contain the data of another n8n instance or app. */
export const readStaticData = (data: IDataObject, owner: string): StaticData => ({
  ...EMPTY_STATIC_DATA,
  ...(data.owner === owner && data),
});

/** Writes only changed values: n8n saves the static data after any write, even of an equal value. */
export function writeStaticData(data: IDataObject, owner: string, changes: Partial<StaticData>): void {
  if (isEmpty(changes)) return;
  const state = data.owner === owner ? changes : { ...EMPTY_STATIC_DATA, ...changes };
  for (const [key, value] of Object.entries({ ...state, owner }))
    if (!isEqual(data[key], value)) data[key] = value;
}

const DELIVERY_HASH_LENGTH = 12;

/** An equal update without a timestamp counts as repeated within this time: people rarely save equal values so soon. */
const REPEATED_UPDATE_PERIOD_MS = 60_000;

/**
 * Deliveries have no ID (spec: Events), so a delivery is compared with the last delivery of its record. If a record
 * changes from A to B and back to A, each change starts the workflow.
 */
export class LastDeliveries {
  private readonly byRecord = new Map<string, { hash: string; receivedAt: number }>();

  /**
   * An equal update without a timestamp (evidence 18) counts as repeated only within a minute: the same values may be
   * saved again later.
   */
  isRepeated(delivery: Delivery): boolean {
    const { event, timestamp, receivedAt } = delivery;
    const last = this.byRecord.get(createRecordKey(delivery));
    const lifetime = event === 'UPDATE' && timestamp === '' ? REPEATED_UPDATE_PERIOD_MS : Infinity;
    return last?.hash === hashDelivery(delivery) && receivedAt - last.receivedAt <= lifetime;
  }

  store(delivery: Delivery): void {
    const last = { hash: hashDelivery(delivery), receivedAt: delivery.receivedAt };
    setNewestEntry(this.byRecord, createRecordKey(delivery), last);
  }
}

const createRecordKey = ({ tableId, recordId }: Delivery): string =>
  hashValue([tableId, recordId], DELIVERY_HASH_LENGTH);

const hashDelivery = ({ event, record, timestamp }: Delivery): string =>
  hashValue([event, record, timestamp], DELIVERY_HASH_LENGTH);

/** What the process keeps of earlier deliveries of one trigger. */
export interface TriggerMemory {
  lastDeliveries: LastDeliveries;
  lastValues: LastValues;
  /** By table ID: the fields that were read last, for a delivery during which the fields cannot be read. */
  tables: Map<string, Table>;
}

/** Handles the deliveries of one record in the order of their arrival. */
export const deliveryQueue = memory.queue('deliveries', {
  per: 'node',
  holds: 'the deliveries of one record, each of which is compared with the one before',
});

const triggerMemories = memory.store<TriggerMemory, 'node'>('triggerMemories', {
  per: 'node',
  holds: 'deliveries and values that arrived before, and the fields of the tables',
  max: 50,
});

/**
 * Deliveries that run at once overwrite each other's changes of the static data. So the values are merged in memory,
 * and each save writes all of them.
 */
export function getTriggerMemory(key: string, { values }: Pick<StaticData, 'values'>): TriggerMemory {
  const known = triggerMemories.getOrCreate(key, [], () => ({
    lastDeliveries: new LastDeliveries(),
    lastValues: new LastValues(),
    tables: new Map<string, Table>(),
  }));
  known.lastValues.mergeSavedEntries(values);
  return known;
}

/** @returns the changes of the static data: the values of watched fields, as many as fit */
export function storeDelivery(
  { lastDeliveries, lastValues }: TriggerMemory,
  delivery: Delivery,
  values: HashedValuesBySlug | undefined,
  data: IDataObject,
): Partial<StaticData> {
  if (!lastDeliveries.isRepeated(delivery)) lastDeliveries.store(delivery);
  if (!values) return {};
  lastValues.store(delivery, values);
  return { values: lastValues.formatEntries(MAX_STATIC_DATA_BYTES - countBytes({ ...data, values: '' })) };
}
