import { getKind, isBlank } from '../../../../shared/model/fields';
import { InputError } from '../../../../shared/model/input/inputError';
import { getRawValue } from '../../../../shared/model/records/recordValues';
import { type FieldRef, getValueField, type Table } from '../../../../shared/model/records/table';
import type { ServiceRecord } from '../../../../shared/model/responses/records';
import type { MatchKey } from '../upsert/matchKey';

/** Reads one value for each column. @returns undefined when one is empty, unreadable or a list of several values */
function readKeyValues(values: unknown[], columns: FieldRef[]): unknown[] | undefined {
  const parts = columns.map((column, index) => {
    const field = getValueField(column);
    const found = [getKind(field).read(values[index], field)].flat();
    return found.length === 1 && !isBlank(found[0]) ? found[0] : undefined;
  });
  return parts.includes(undefined) ? undefined : parts;
}

/**
 * Formats values as one text. All notations of equal values have the same text, for example "7" and 7 of a number.
 * @returns undefined when a value is empty, unreadable or a list of several values
 */
function formatKey(values: unknown[], columns: FieldRef[]): string | undefined {
  const parts = readKeyValues(values, columns);
  return parts && JSON.stringify(parts);
}

/** Returns the key of a record for a look-up; undefined when it has no single value in a match column. */
export function createRecordKey(record: ServiceRecord, columns: FieldRef[]): MatchKey | undefined {
  const values = readKeyValues(
    columns.map((column) => getRawValue(record, column)),
    columns,
  );
  if (!values) return undefined;
  const matches = columns.flatMap((slot, index) => {
    const value = values[index];
    return typeof value === 'string' || typeof value === 'number' ? { slot, value } : [];
  });
  return matches.length === columns.length ? { matches, text: JSON.stringify(values) } : undefined;
}

export const formatRecordKey = (record: ServiceRecord, columns: FieldRef[]): string | undefined =>
  formatKey(
    columns.map((column) => getRawValue(record, column)),
    columns,
  );

/** @throws InputError when the key cannot be compared with those of records */
export function formatInputKey({ matches, text }: MatchKey): string {
  const key = formatKey(
    matches.map(({ value }) => value),
    matches.map(({ slot }) => slot),
  );
  if (key !== undefined) return key;
  throw new InputError(`The key ${text} cannot be compared`, 'Match on another column.');
}

/** Returns the columns to match on. @throws InputError for a column that can hold several values */
export function resolveMatchColumns(names: string[], table: Table): FieldRef[] {
  if (names.length === 0) {
    throw new InputError(
      'There is no column to match on',
      'Choose at least one under "Columns to Match On". Nothing was sent.',
    );
  }
  return names.map((name) => {
    const column = table.resolvePayloadField(name, 'Columns to Match On');
    if (!column.field.connection?.many) return column;
    throw new InputError(
      `Columns to Match On: "${column.field.name}" can hold several records`,
      'Choose a column with one value for each record. Nothing was sent.',
    );
  });
}
