import type { Application } from '../state/application';
import type { User } from '../state/users';
import { CREATED_AT, type Field } from '../data/field';
import type { Kind } from '../data/fieldTypes';
import { asText, type StoredRecord, type Table } from '../data/table';

/** Whose filter is compiled, over which table, and where a mistake in it is noted. */
export interface Scope {
  app: Application;
  table: Table;
  user?: User;
  report(message: string): void;
}

export type Test = (record: StoredRecord) => boolean;

/** What one filter item looks at: a field, or one part of a composite field. */
export interface Subject {
  kind: Kind;
  field: Field;
  /** text: all its texts; connection and user: ids; number, date and checkbox: the stored value. */
  read(record: StoredRecord): unknown;
}

/** `slug`, field id, or either with a hyphen suffix (spec: Filters); undefined when unknown. */
export function findSubject(fieldId: string, table: Table): Subject | undefined {
  const field = table.field(fieldId) ?? (fieldId === CREATED_AT.slug ? CREATED_AT : undefined);
  if (field) return whole(field);
  const hyphen = fieldId.lastIndexOf('-');
  const composite = hyphen > 0 ? table.field(fieldId.slice(0, hyphen)) : undefined;
  const part = composite?.format.subFields?.[fieldId.slice(hyphen)];
  if (!composite || !part) return undefined;
  return { kind: 'text', field: composite, read: (record) => [asText(partOf(record[composite.slug], part))] };
}

function whole(field: Field): Subject {
  const { kind, parts } = field.format;
  const stored = (record: StoredRecord) => record[field.slug];
  if (kind === 'text') return { kind, field, read: (record) => texts(stored(record)) };
  // A date range as a whole is compared by its start; the spec lists no sub-field for it.
  if (parts) return { kind, field, read: (record) => partOf(stored(record), 'start') };
  return { kind, field, read: stored };
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(asText) : [asText(value)]);

function partOf(value: unknown, part: string): unknown {
  return (value as Record<string, unknown> | null | undefined)?.[part] ?? null;
}
