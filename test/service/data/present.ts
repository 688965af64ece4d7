import type { Application } from '../state/application';
import type { Field } from './field';
import type { StoredRecord, Table } from './table';

export interface Presentation {
  /** Slugs to show; all when absent. */
  columns?: readonly string[];
  displayNames?: boolean;
  /** `<slug>_val` beside each connection. Left out of webhook bodies ("field values by slug"). */
  vals?: boolean;
}

/** A record as responses show it (spec: Record). */
export function present(
  record: StoredRecord,
  table: Table,
  app: Application,
  { columns, displayNames = false, vals = true }: Presentation = {},
): Record<string, unknown> {
  const shown: Record<string, unknown> = { id: record.id };
  for (const field of table.fields) {
    if (columns && !columns.includes(field.slug)) continue;
    Object.assign(
      shown,
      entries(field, record[field.slug], app, displayNames ? field.name : field.slug, vals),
    );
  }
  shown.created_at = record.created_at;
  return shown;
}

function entries(field: Field, value: unknown, app: Application, key: string, vals: boolean) {
  const { kind, parts } = field.format;
  if (kind === 'connection' || kind === 'user') return connection(field, value as string[], app, key, vals);
  if (!parts || app.options.compositeReads === 'object') return { [key]: value };
  const stored = value as Record<string, unknown>;
  return Object.fromEntries(Object.entries(parts).map(([suffix, part]) => [key + suffix, stored[part]]));
}

/** Connections to records deleted since are no longer shown. */
function connection(field: Field, value: string[], app: Application, key: string, vals: boolean) {
  const target = app.table(field.to ?? '');
  const ids = value.filter((id) => target?.records.has(id));
  const shown = ids.map((id) => ({ id, val: target?.display(id) ?? '' }));
  return vals ? { [key]: ids, [`${key}_val`]: shown } : { [key]: ids };
}
