/** Fields to Match On: the fields whose values identify a record. */
import { compact, difference } from 'lodash';
import { readColumnForm } from '../../../n8n/columns/columnForm';
import { ItemValues, prepareEntriesInBatch } from '../../../n8n/columns/itemValues';
import { tableLocator } from '../../../n8n/lists/tablePickers';
import type { Item } from '../../../n8n/operation/item';
import { defineParameter } from '../../../n8n/parameters/parameter';
import {
  createMatchKey,
  encodeRecordValues,
  type FieldRef,
  formatPayloadKey,
  getKind,
  getFieldOrPartValue,
  toRefField,
  type MatchKey,
  type PayloadEntries,
  type RecordValues,
  type Table,
} from '../../../records';
import { type ApiError, InputError, parseNames, tryOr } from '../../../service';

/** @throws InputError for a name of a connected record that does not exist */
export async function readMatchKey({ item, table, values, matchColumns }: ItemValues): Promise<MatchKey> {
  const refs = readMatchColumns(item, table, matchColumns);
  const matchValues = Object.fromEntries(
    refs.map((ref) => [formatPayloadKey(ref), readFormValue(values, ref)]),
  );
  const { preview } = await prepareEntriesInBatch(item, table, matchValues, { use: 'key' });
  return createMatchKey(refs, preview);
}

export const MATCH_FIELDS_LABEL = 'Fields to Match On';

/** @throws InputError for a field that cannot identify a record, such as a list or a Name */
export function ensureMatchable(ref: FieldRef): FieldRef {
  const field = toRefField(ref);
  const { isMatchable, parts = [] } = getKind(field);
  if (isMatchable && parts.length === 0) return ref;
  const others = parts.map(({ label }) => `"${field.name}: ${label}"`).join(', ');
  throw new InputError(
    `${MATCH_FIELDS_LABEL}: the service cannot find a record by "${field.name}"`,
    `Its type is ${field.type}. Nothing was sent. Match on ${isMatchable ? `its parts: ${others}` : 'another field'}.`,
  );
}

/** @throws InputError for an unknown field, and for one that identifies no record */
export const readMatchColumns = (
  item: Item,
  table: Table,
  given = readColumnForm(item).matchColumns,
): FieldRef[] => given.map((column) => ensureMatchable(table.requireWritableRef(column, MATCH_FIELDS_LABEL)));

/** @param offer the remedy if the duplicate value belongs to a field that is not under Fields to Match On */
export function createDuplicateRemedy(
  item: Item,
  table: Table,
  { fieldErrors }: ApiError,
  offer = `To update the record that has it, choose the field under "${MATCH_FIELDS_LABEL}".`,
  matchColumns?: string[],
): string {
  const matched = tryOr(() => readMatchColumns(item, table, matchColumns).map(({ field }) => field.slug), []);
  const others = difference(Object.keys(fieldErrors), matched);
  return others.length > 0
    ? offer
    : 'No record was found by this field: the user of the credential may not see the one that has the value.';
}

/** Finds the value of a part under its own key, or in the value of the whole field. */
const readFormValue = (values: RecordValues, ref: FieldRef): unknown =>
  values[formatPayloadKey(ref)] ?? getFieldOrPartValue(values, ref);

/** @param verb what the operation does with the records that match */
export const createSeveralMatchesOption = (verb: 'Return' | 'Update') =>
  defineParameter({
    displayName: 'If Several Match',
    name: 'onSeveral',
    type: 'options',
    default: 'error',
    options: [
      { name: 'Return an Error', value: 'error' },
      { name: `${verb} All`, value: 'all' },
      { name: `${verb} the First`, value: 'first' },
    ],
  });

export function selectMatches<Match>(
  item: Item,
  option: ReturnType<typeof createSeveralMatchesOption>,
  key: MatchKey,
  found: Match[],
): Match[] {
  const policy = item.readOption(option);
  if (found.length <= 1 || policy === 'all') return found;
  if (policy === 'first') return found.slice(0, 1);
  throw new InputError(
    `${found.length} records match ${key.text}`,
    'Match on a field that tells records apart, or choose what to do under "If Several Match".',
  );
}

/** Does not look up names of connected records. @throws InputError for a field to match on without a value */
export function ensureMatchKeyHasValues({ item, table, values, matchColumns }: ItemValues): void {
  const refs = readMatchColumns(item, table, matchColumns);
  const entries = refs.flatMap((ref): PayloadEntries => {
    const key = formatPayloadKey(ref);
    const value = readFormValue(values, ref);
    return ref.field.connection
      ? [[key, parseNames(value).length === 0 ? '' : 'to be looked up']]
      : encodeRecordValues({ [key]: value }, table, { timeZone: item.timeZone });
  });
  createMatchKey(refs, entries);
}

/** Returns undefined for a key that no record can have. */
type MatchKeyReader = (item: Item, table: Table) => Promise<MatchKey | undefined>;

/**
 * Creates the batch of up to 50 items whose keys one request looks up. An item with an error is left out: its own run
 * reports the error.
 * @param own the key of `item`, which is not read again: an expression could return another key
 */
export const createMatchKeyBatch = (
  item: Item,
  table: Table,
  own: MatchKey | undefined,
  readKey: MatchKeyReader = (peer) => readMatchKey(new ItemValues(peer, table)),
) => ({
  name: item.batchNumber,
  async listKeys(): Promise<MatchKey[]> {
    const read = async (peer: Item) => {
      if (peer.index === item.index) return own;
      return peer.read(tableLocator) === table.id ? readKey(peer, table) : undefined;
    };
    return compact(await Promise.all(item.listBatchItems().map((peer) => read(peer).catch(() => undefined))));
  },
});
