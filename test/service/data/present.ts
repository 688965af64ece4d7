import type { Application } from '../state/application';
import type { Field } from './field';
import type { StoredRecord, Table } from './table';

export interface Presentation {
  /** Slugs to show; all when absent. */
  columns?: readonly string[];
  /** Whether `id` and `created_at` are shown only if `columns` names them. */
  exact?: boolean;
  displayNames?: boolean;
  /** Whether `<slug>_val` is shown with each connection. Webhook bodies omit it ("field values by slug"). */
  vals?: boolean;
}

/** A record as responses show it (spec: Record). */
export function presentRecord(
  record: StoredRecord,
  table: Table,
  app: Application,
  { columns, exact = false, displayNames = false, vals = true }: Presentation = {},
): Record<string, unknown> {
  const isShown = (name: string) => !columns || columns.includes(name);
  const isFixedShown = (name: string) => !exact || isShown(name);
  const values = table.fields
    .filter(({ slug }) => isShown(slug))
    .flatMap((field) =>
      presentField(field, record[field.slug], app, displayNames ? field.name : field.slug, vals),
    );
  return Object.fromEntries([
    ...(isFixedShown('id') ? [['id', record.id]] : []),
    ...values,
    ...(isFixedShown('created_at') ? [['created_at', record.created_at]] : []),
  ]);
}

type Entries = [key: string, value: unknown][];

function presentField(field: Field, value: unknown, app: Application, key: string, vals: boolean): Entries {
  const { kind, parts } = field.format;
  if (kind === 'connection' || kind === 'user')
    return presentConnection(field, value as string[], app, key, vals);
  if (!parts || app.options.compositeReads === 'object') return [[key, value]];
  const stored = value as Record<string, unknown>;
  return Object.entries(parts).map(([suffix, part]) => [key + suffix, stored[part]]);
}

/** Ids of deleted records are not shown. */
function presentConnection(
  field: Field,
  value: string[],
  app: Application,
  key: string,
  vals: boolean,
): Entries {
  const target = app.findTable(field.to ?? '');
  const ids = value.filter((id) => target?.records.has(id));
  const shown = ids.map((id) => ({ id, val: target?.getDisplayText(id) ?? '' }));
  return vals
    ? [
        [key, ids],
        [`${key}_val`, shown],
      ]
    : [[key, ids]];
}
