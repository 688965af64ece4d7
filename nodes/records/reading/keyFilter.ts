/** Builds filters that find records by their keys, and detects that the service ignored such a filter. */
import { chunk, uniqBy } from 'lodash';
import { ApiError, type Client, type ServiceRecord } from '../../service';
import { getKind } from '../fields/kinds';
import { isSimilarText, normalizeSpaces } from '../fields/plainKinds';
import { formatFilterKey, toRefField } from '../fields/table';
import type { FilterGroup, FilterItem } from '../filter/tree';
import { describeKey, type KeyValue, listRecordKeys, type MatchKey } from './matchKey';
import { canListByPost } from './readRecords';

/** Maximum number of spellings of keys (`KeySpelling`) that one request looks up. */
export const MAX_KEYS_PER_REQUEST = 50;

/** Builds a filter that finds the records that have one of the keys (spec: Filters, nested groups). */
export function buildKeyFilter(batch: KeySpelling[]): FilterGroup {
  const groups = batch.map(({ conditions: items }): FilterGroup => ({ condition: 'AND', items, child: [] }));
  const isOne = groups.every(({ items }) => items.length === 1);
  return {
    condition: 'OR',
    items: isOne ? groups.flatMap(({ items }) => items) : [],
    child: isOne ? [] : groups,
  };
}

/** Several keys (OR) can only be sent by POST. A single key is sent by GET. */
export const splitKeysIntoBatches = (client: Client, keys: KeySpelling[]): KeySpelling[][] =>
  chunk(keys, canListByPost(client) ? MAX_KEYS_PER_REQUEST : 1);

/** One spelling of a key: the key as it was given, or without extra blanks. */
export interface KeySpelling {
  key: MatchKey;
  conditions: FilterItem[];
}

/** Lists the key with and without extra blanks. Other cases are not needed: `is` ignores case (spec: Filters, Text). */
export function listKeySpellings(key: MatchKey): KeySpelling[] {
  const tidy = key.values.map((value) => (typeof value === 'string' ? normalizeSpaces(value) : value));
  return uniqBy([key.values, tidy], (values) => JSON.stringify(values)).map((values) => ({
    key,
    conditions: key.refs.map((ref, at): FilterItem => {
      const val = values[at] as KeyValue;
      const state = getKind(toRefField(ref)).findOperatorForState?.(val);
      return { field_id: formatFilterKey(ref), operator: state ?? 'is', ...(state === undefined && { val }) };
    }),
  }));
}

export const createUnrelatedRecordError = (key: MatchKey, unrelated: ServiceRecord): ApiError =>
  new ApiError({
    message: `It is not clear whether a record has ${key.text}: the service returned record ${unrelated.id}, which has ${describeKey(unrelated, key)}`,
    description:
      'Nothing was created or changed. The service does not compare this field as it was asked to. Match on another field.',
    sentCount: 0,
  });

/** Finds a record whose key differs by more than case and accents, which shows that the service ignored the filter. */
export function findUnrelatedRecord(found: ServiceRecord[], keys: KeySpelling[]): ServiceRecord | undefined {
  const known = new Set(keys.map(({ key }) => key.caselessText));
  const isKnown = ({ caselessText, lookupKey }: MatchKey) =>
    known.has(caselessText) || keys.some(({ key }) => isSimilarText(key.lookupKey, lookupKey));
  const refs = keys[0]?.key.refs ?? [];
  return found.find((record) => !listRecordKeys(record, refs).some(isKnown));
}
