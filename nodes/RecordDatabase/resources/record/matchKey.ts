import type { Field, PayloadEntries, PayloadValue } from '../../../client/fields/field';
import { getKind } from '../../../client/fields/kinds';
import { readValue } from '../../../client/fields/recordValues';
import { type FieldRef, type Table, formatFilterId, getValueField } from '../../../client/fields/table';
import { equals } from '../../../client/fields/values';
import type { FilterGroup, FilterItem } from '../../../client/filter/tree';
import { InputError } from '../../../client/input/inputError';
import type { ServiceRecord } from '../../../client/responses/records';

/** A match column and the value to look up. */
interface Match {
  slot: FieldRef;
  value: string | number;
}

/** The values that identify the record of an item. */
export interface MatchKey {
  matches: Match[];
  /** Items with equal texts refer to the same record. */
  text: string;
}

function toScalar(value: PayloadValue | undefined): string | number | undefined {
  if (typeof value === 'number') return value;
  const [text, ...others] = [value].flat();
  // White space alone is a missing value, as in a cell that looks empty.
  return typeof text === 'string' && text.trim() !== '' && others.length === 0 ? text : undefined;
}

/** @throws InputError when a match column is unknown or the item does not have a single value for it */
export function createMatchKey(columns: string[], entries: PayloadEntries, table: Table): MatchKey {
  if (columns.length === 0) {
    throw new InputError(
      'There is no column to match on',
      'Choose at least one under "Columns to Match On".',
    );
  }
  const matches = columns.map((column): Match => {
    const slot = table.resolvePayloadField(column, 'Columns to Match On');
    const value = toScalar(entries.find(([key]) => key === column)?.[1]);
    if (value === undefined) {
      throw new InputError(
        `The match column "${slot.field.name}" has no value`,
        'Give it a single value in every item. An expression may have returned nothing.',
      );
    }
    return { slot, value };
  });
  return { matches, text: JSON.stringify(matches.map(({ value }) => value)) };
}

const toFilterItem = ({ slot, value }: Match): FilterItem => ({
  field_id: formatFilterId(slot),
  ...getKind(getValueField(slot)).createMatch(value),
});

/** Builds one filter that finds the records of several keys (spec: Filters, nested groups). */
export function buildMatchFilter(keys: MatchKey[]): FilterGroup {
  const groups = keys.map(({ matches }): FilterGroup => ({
    condition: 'AND',
    items: matches.map(toFilterItem),
    child: [],
  }));
  const singles = groups.flatMap(({ items }) => (items.length === 1 ? items : []));
  return { condition: 'OR', items: singles, child: groups.filter(({ items }) => items.length > 1) };
}

/** Whether a value of a record equals the wanted value in any notation. A list must contain the wanted value. */
export function isSameValue(found: unknown, wanted: string | number, field: Field): boolean {
  const value = getKind(field).read(found, field);
  return Array.isArray(value) ? value.includes(wanted) : equals(found, wanted, field);
}

const trimText = (value: unknown) => String(value).trim();
const { compare } = new Intl.Collator('en', { sensitivity: 'base' });

/** Compares without case, accents and outer spaces, as a service may do although the filter requires equality. */
const isSimilarValue: typeof isSameValue = (found, wanted, field) =>
  isSameValue(found, wanted, field) ||
  [found].flat().some((entry) => compare(trimText(entry), trimText(wanted)) === 0);

const hasKeyValues = (record: ServiceRecord, { matches }: MatchKey, same: typeof isSameValue): boolean =>
  matches.every(({ slot, value }) => same(readValue(record, slot), value, getValueField(slot)));

/** Whether a record belongs to a key. */
export const matchesKey = (record: ServiceRecord, key: MatchKey): boolean =>
  hasKeyValues(record, key, isSameValue);

/**
 * Whether a record belongs to none of the keys. That happens when the service ignores a condition or returns a
 * value in an unexpected format.
 */
export const isStray = (record: ServiceRecord, keys: MatchKey[]): boolean =>
  !keys.some((key) => hasKeyValues(record, key, isSimilarValue));
