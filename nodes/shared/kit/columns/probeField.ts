import {
  encodeValue,
  type Field,
  getKind,
  isOmitted,
  type PayloadEntries,
  type PayloadValue,
} from '../../model/fields';
import { readValue } from '../../model/records/recordValues';
import type { FieldRef, Table } from '../../model/records/table';
import type { ServiceRecord } from '../../model/responses/records';
import { isFieldEmpty } from './currentValues';

/**
 * A field that the item changes. The detection leaves it out of one update to see what the service does with unsent
 * fields.
 */
export interface Probe {
  table: Table;
  field: Field;
  change: 'clear' | 'fill' | 'replace';
  before: PayloadValue;
  wanted: PayloadValue;
}

export type UpdateSemantics = 'keeps' | 'blanks';

/** Kinds of change in order of preference. During `clear` and `fill`, the field always has its old or its new value. */
const CHANGES = ['clear', 'fill', 'replace'] as const;

/** Maximum length of a value that the detection may replace. An error message contains the old value. */
const MAX_REPLACED_LENGTH = 200;

/** Returns the payload value of a plain field of a record, or undefined for a value that cannot be encoded. */
function encodePlain(record: ServiceRecord, { table, field }: FieldRef): PayloadValue | undefined {
  try {
    const value = readValue(record, { table, field });
    return value === undefined ? undefined : encodeValue(value, field, { timeZone: 'utc' })[0]?.[1];
  } catch {
    return undefined;
  }
}

function createProbe(ref: FieldRef, record: ServiceRecord, wanted: PayloadValue): Probe | undefined {
  const { table, field } = ref;
  const before = encodePlain(record, ref);
  if (before === undefined || before === wanted || String(before).length > MAX_REPLACED_LENGTH)
    return undefined;
  const [isBlank, willBeBlank] = [isOmitted(before, field), isOmitted(wanted, field)];
  if (isBlank && willBeBlank) return undefined;
  const filling = isBlank ? 'fill' : 'replace';
  const change = willBeBlank ? 'clear' : filling;
  return { table, field, change, before, wanted };
}

/** Orders probes: first by the kind of change, then by the kind of field. */
const compareProbes = (a: Probe, b: Probe): number =>
  CHANGES.indexOf(a.change) - CHANGES.indexOf(b.change) ||
  (getKind(a.field).probeRank ?? 0) - (getKind(b.field).probeRank ?? 0);

/**
 * Finds the field for the detection. `mayReplace` is false if an empty value could hide the record from the user.
 * Returns undefined if all other fields of the record are empty, because they cannot show an effect.
 */
export function findProbe(
  table: Table,
  record: ServiceRecord,
  entries: PayloadEntries,
  mayReplace: boolean,
): Probe | undefined {
  const hasOther = (field: Field) =>
    table.writableFields.some(
      (other) =>
        other !== field && !getKind(other).holdsFiles && !isFieldEmpty(record, { table, field: other }),
    );
  const probes = entries.flatMap(([key, wanted]) => {
    const ref = table.resolvePayloadField(key, 'Columns');
    if (ref.part || getKind(ref.field).probeRank === undefined || !hasOther(ref.field)) return [];
    const probe = createProbe(ref, record, wanted);
    return probe && (mayReplace || probe.change !== 'replace') ? [probe] : [];
  });
  return probes.sort(compareProbes)[0];
}

/** Returns whether the service kept or emptied the field that was left out; undefined if the record shows neither. */
export function classifySemantics(probe: Probe, after: ServiceRecord): UpdateSemantics | undefined {
  const { field, change, before, wanted } = probe;
  const value = encodePlain(after, probe);
  if (value === (change === 'fill' ? wanted : before)) return 'keeps';
  return value !== undefined && isOmitted(value, field) ? 'blanks' : undefined;
}
