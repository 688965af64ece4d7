import { FIELD_HASH_LENGTH } from '../../shared/kit/hashing/hashFieldValues';
import { hashText } from '../../shared/kit/hashing/hashText';
import type { Delivery } from './parseDelivery';

/** Maximum number of values per trigger in the memory of this process, about 2 MB. */
const MAX_VALUES = 20_000;

/** Maximum size of the values in the static data, which n8n writes on every delivery. */
export const MAX_SAVED_BYTES = 200_000;

const KEY_LENGTH = 10;
const TIME_LENGTH = 9;
const ENTRY_LENGTH = KEY_LENGTH + TIME_LENGTH + FIELD_HASH_LENGTH;

/** Marks an unknown value: two events with the same or no timestamp set different values. */
const AMBIGUOUS = '?'.repeat(FIELD_HASH_LENGTH);
const NO_TIME = '-'.repeat(TIME_LENGTH);

/** Encodes a timestamp as base 36 digits that sort as text. Returns `NO_TIME` for an invalid timestamp. */
function encodeTime(timestamp: string): string {
  const milliseconds = Date.parse(timestamp);
  return milliseconds >= 0 ? milliseconds.toString(36).padStart(TIME_LENGTH, '0') : NO_TIME;
}

/**
 * Hashes of the last values that a trigger received, each with the timestamp of its event. Events may arrive out of
 * order or share a timestamp. A later event overwrites the value, an earlier one does not. Two different values
 * with the same timestamp make the value unknown, and an unknown value differs from every other value.
 */
export class LastValues {
  private readonly entries = new Map<string, string>();
  /** The most recently loaded or saved text. */
  private text = '';

  constructor(private readonly capacity = MAX_VALUES) {}

  get size(): number {
    return this.entries.size;
  }

  /**
   * Returns the slugs of the fields whose value differs from the last one or has no earlier value; null if no value
   * of the record is stored. `slugs` are all watched fields, `values` the hashes of the delivered ones.
   */
  findChanges(delivery: Delivery, slugs: string[], values: Map<string, string>): string[] | null {
    const find = (slug: string) => this.entries.get(createValueKey(delivery, slug));
    if (slugs.every((slug) => find(slug) === undefined)) return null;
    return [...values]
      .filter(([slug, hash]) => find(slug)?.slice(TIME_LENGTH) !== hash)
      .map(([slug]) => slug);
  }

  remember(delivery: Delivery, values: Map<string, string>): void {
    const time = encodeTime(delivery.timestamp);
    for (const [slug, hash] of values) this.merge(createValueKey(delivery, slug), time + hash);
  }

  /** Merges the values that another process, or this process before a restart, has saved. */
  load(saved: string): void {
    if (saved === this.text || saved.length % ENTRY_LENGTH !== 0) return;
    this.text = saved;
    for (let at = 0; at < saved.length; at += ENTRY_LENGTH) {
      this.merge(saved.slice(at, at + KEY_LENGTH), saved.slice(at + KEY_LENGTH, at + ENTRY_LENGTH));
    }
  }

  /** The newest entries as one text of at most `MAX_SAVED_BYTES` ASCII characters. */
  save(): string {
    let surplus = this.entries.size - Math.floor(MAX_SAVED_BYTES / ENTRY_LENGTH);
    const newest: string[] = [];
    for (const [key, value] of this.entries) if (surplus-- <= 0) newest.push(key, value);
    return (this.text = newest.join(''));
  }

  private merge(key: string, next: string): void {
    const known = this.entries.get(key);
    if (known === undefined) return this.set(key, next);
    const [knownTime, nextTime] = [known.slice(0, TIME_LENGTH), next.slice(0, TIME_LENGTH)];
    const hasOrder = knownTime !== nextTime && knownTime !== NO_TIME && nextTime !== NO_TIME;
    if (hasOrder) return this.set(key, knownTime < nextTime ? next : known);
    const isSame = known.slice(TIME_LENGTH) === next.slice(TIME_LENGTH);
    const latest = knownTime === NO_TIME ? nextTime : knownTime;
    this.set(key, isSame ? latest + next.slice(TIME_LENGTH) : latest + AMBIGUOUS);
  }

  /** Moves the entry to the end of the map, so that the first entry is the oldest. */
  private set(key: string, value: string): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size > this.capacity) this.entries.delete(this.entries.keys().next().value as string);
  }
}

const createValueKey = ({ tableId, recordId }: Delivery, slug: string): string =>
  hashText(JSON.stringify([tableId, recordId, slug]), KEY_LENGTH);

/**
 * Whether a watched field has changed. If no earlier values are stored (null), the option of the form is the result,
 * because a superfluous start is visible to the user and a dropped event is not.
 */
export function isChanged(changes: string[] | null | undefined, startWithoutEarlierValues: boolean): boolean {
  if (changes === undefined) return true;
  return changes === null ? startWithoutEarlierValues : changes.length > 0;
}
