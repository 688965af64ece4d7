import type { Application } from '../state/application';
import type { Field } from './field';
import type { StoredRecord, Table } from './table';

export interface Presentation {
  /** Slugs to show; all when absent. */
  columns?: readonly string[];
  /** Whether `id` and `created_at` are shown only if `columns` names them. */
  exact?: boolean;
  displayNames?: boolean;
  /** `delivery`: the body of a webhook has no `<slug>_val` ("field values by slug"). */
  place?: 'list' | 'single' | 'delivery';
}

/** A record as responses show it (spec: Record). */
export function presentRecord(
  record: StoredRecord,
  table: Table,
  app: Application,
  { columns, exact = false, displayNames = false, place = 'list' }: Presentation = {},
): Record<string, unknown> {
  const { getDisplayValues, systemKeys } = app.options;
  const vals = place === 'list' || (place === 'single' && getDisplayValues === 'shown');
  const { id, created_at } = record;
  const isWhole = place === 'list' || (place === 'delivery' && !columns);
  const met = isWhole ? { id, auto_increment: table.getRowNumber(id), created_at } : { id };
  const before = systemKeys === 'met' ? met : { id };
  const after = systemKeys === 'documented' ? { created_at } : {};
  const entries: Entries = keepShown(before, exact ? columns : undefined);
  // A loop: tests read hundreds of pages of a large table.
  for (const field of table.fields) {
    if (columns && !columns.includes(field.slug)) continue;
    const key = displayNames ? field.name : field.slug;
    entries.push(...presentField(field, record[field.key], app, key, vals));
  }
  entries.push(...keepShown(after, exact ? columns : undefined));
  return Object.fromEntries(entries);
}

const keepShown = (keys: object, columns?: readonly string[]): Entries =>
  columns ? Object.entries(keys).filter(([key]) => columns.includes(key)) : Object.entries(keys);

type Entries = [key: string, value: unknown][];

function presentField(field: Field, value: unknown, app: Application, key: string, vals: boolean): Entries {
  const { kind, show } = field.format;
  if (kind === 'connection' || kind === 'user')
    return presentConnection(field, value as string[], app, key, vals);
  return [[key, show ? show(value, app) : value]];
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
