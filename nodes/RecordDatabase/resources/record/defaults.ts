import { defaultEntries } from '../../../shared/model/fields';
import type { Table } from '../../../shared/model/table';

/** Configured defaults of the fields that got no value: the service does not apply them (spec: Record). */
export function withDefaults(values: Record<string, unknown>, table: Table): Record<string, unknown> {
  const given = new Set(Object.keys(values).map((key) => table.payloadSlot(key, 'Columns').field.slug));
  const defaults = table.writable
    .filter((field) => !given.has(field.slug) && defaultEntries(field).length > 0)
    .map(({ slug, defaultValue }) => [slug, defaultValue]);
  return { ...Object.fromEntries(defaults), ...values };
}
