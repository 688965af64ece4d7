/**
 * Whether the service stores a Name, an Address, a Calendar or a Link. Their notation is documented for forms, but a
 * service that reads another one says success and stores nothing. So `ensurePartsStored` reads back the first value of
 * each kind.
 */
import { groupBy } from 'lodash';
import { ApiError, type Client, isObject, memory } from '../../service';
import type { KindName, PayloadEntries, PayloadValue } from '../fields/field';
import { getKind } from '../fields/kinds';
import { isSameText } from '../fields/plainKinds';
import { type RecordValues, equals, getRawValue, getShownValue, isEmpty } from '../fields/recordValues';
import { type FieldRef, type Table, getValueField } from '../fields/table';
import { readRecord } from '../reading/readRecords';

const storedKinds = memory.store<true, 'app'>('storedKinds', {
  per: 'app',
  holds: 'the kinds of fields with parts, and links, that the service was seen to store',
  max: 1_000,
});

interface SentPart {
  ref: FieldRef;
  value: PayloadValue;
}

interface WrittenParts {
  action: 'created' | 'updated';
  recordId: string;
  /** The record before an update, if it was read. */
  before?: RecordValues;
  /** The record in the answer, if it shows one. */
  shown?: unknown;
}

/** Whether a record has a value, also in the form in which a service may store it: it says nothing about a write then. */
const isHeld = ({ ref, value }: SentPart, record: RecordValues): boolean => {
  const held = getRawValue(record, ref);
  return equals(held, value, getValueField(ref)) || isSameText(held, value);
};

/**
 * Whether a record shows neither the value that was sent, in the form in which a service may store it, nor another new one,
 * which a rule may have made of it.
 */
function isLost({ ref, value }: SentPart, record: RecordValues, before: RecordValues = {}): boolean {
  const field = getValueField(ref);
  const [stored, old] = [record, before].map((one) => getRawValue(one, ref));
  return !isHeld({ ref, value }, record) && (isEmpty(stored, field) || equals(stored, old, field));
}

/**
 * Reads back the first composite, Calendar or Link of each kind that this process writes in an application. Later ones cost
 * nothing.
 * @throws ApiError that names the field if the service did not store it
 */
export async function ensurePartsStored(
  client: Client,
  table: Table,
  entries: PayloadEntries,
  { action, recordId, before, shown }: WrittenParts,
): Promise<void> {
  const isNew = ({ ref, value }: SentPart) =>
    value !== null &&
    value !== '' &&
    (ref.part ? ref.part.options === undefined : getKind(ref.field).formPart !== undefined) &&
    storedKinds.get(client, [ref.field.kind]) === undefined &&
    !(before && isHeld({ ref, value }, before));
  const sent = entries
    .map(([key, value]): SentPart => ({ ref: table.resolvePayloadField(key, 'Fields'), value }))
    .filter(isNew);
  if (sent.length === 0) return;
  const isShown = (record: RecordValues) => sent.every(({ ref }) => getShownValue(record, ref) !== undefined);
  const record =
    isObject(shown) && isShown(shown)
      ? shown
      : await readRecord(client, table.id, recordId).catch(() => undefined);
  // A user may not see the field.
  if (!record || !isShown(record)) return;
  for (const [kind, parts] of Object.entries(groupBy(sent, ({ ref }) => ref.field.kind))) {
    if (!parts.every((part) => isLost(part, record, before))) {
      storedKinds.set(client, [kind as KindName], true);
      continue;
    }
    const { name, type } = parts[0]!.ref.field;
    throw new ApiError({
      message: `"${name}" was not stored: record ${recordId} does not show it, although the service answered with success`,
      description: `The record was ${action} with the other values. A rule of the table may empty the field, or the service takes a ${type} in another form than its documentation shows. Check the record in the service. To write the other fields, leave this one out.`,
      details: { recordId },
    });
  }
}
