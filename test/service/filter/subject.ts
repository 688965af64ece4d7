import { identity } from 'lodash';
import { CREATED_AT, type Field } from '../data/field';
import type { OperatorKind } from '../data/fieldTypes';
import { addMidnight } from '../data/showValue';
import { asText, type StoredRecord, type Table } from '../data/table';
import type { Application } from '../state/application';
import type { User } from '../state/users';

/** The table and caller of a filter, and where violations are noted. */
export interface FilterScope {
  app: Application;
  table: Table;
  user?: User;
  report(message: string): void;
}

export type Predicate = (record: StoredRecord) => boolean;

/** The subject of a filter item: a field, or one part of a composite field. */
export interface FilterSubject {
  kind: OperatorKind;
  field: Field;
  /** text: a list of texts; connection and user: ids; number, date and checkbox: the stored value. */
  read(record: StoredRecord): unknown;
}

/** `slug`, field id, or either with a hyphen suffix (spec: Filters); undefined when unknown. */
export function findSubject(
  fieldId: string,
  { table, app }: Pick<FilterScope, 'table' | 'app'>,
): FilterSubject | undefined {
  const field = table.findField(fieldId) ?? (fieldId === CREATED_AT.slug ? CREATED_AT : undefined);
  if (field) return createFieldSubject(field);
  const hyphen = fieldId.lastIndexOf('-');
  const composite = hyphen > 0 ? table.findField(fieldId.slice(0, hyphen)) : undefined;
  const part = composite?.format.subFields?.[fieldId.slice(hyphen)];
  if (!composite || !part) return undefined;
  const { kind } = composite.format;
  if (kind === 'date' || kind === 'datetime')
    return app.options.calendarFilter === 'ends' ? createEndSubject(composite, part) : undefined;
  return {
    kind: 'text',
    field: composite,
    read: (record) => [asText(readPart(record[composite.key], part))],
  };
}

function createFieldSubject(field: Field): FilterSubject {
  const { kind, parts } = field.format;
  const readStored = (record: StoredRecord) => record[field.key];
  if (kind === 'text' || kind === 'checkboxes')
    return { kind, field, read: (record) => toTexts(readStored(record)) };
  // A date range is compared by its start; the spec lists no sub-field for it.
  if (parts) return createEndSubject(field, 'start');
  return { kind, field, read: readStored };
}

/** One end of a date range. */
function createEndSubject(field: Field, part: string): FilterSubject {
  const { kind } = field.format;
  const toCompared = kind === 'datetime' ? addMidnight : identity;
  return { kind, field, read: (record) => toCompared(readPart(record[field.key], part)) };
}

const toTexts = (value: unknown): string[] => (Array.isArray(value) ? value.map(asText) : [asText(value)]);

function readPart(value: unknown, part: string): unknown {
  return (value as Record<string, unknown> | null | undefined)?.[part] ?? null;
}
