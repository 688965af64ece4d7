import { encodeDefault } from '../../model/fields';
import type { Table } from '../../model/records/table';

/** Adds the configured defaults of the fields without a value. The service does not apply them (spec: Record). */
export function applyDefaults(values: Record<string, unknown>, table: Table): Record<string, unknown> {
  const given = new Set(
    Object.keys(values).map((key) => table.resolvePayloadField(key, 'Columns').field.slug),
  );
  const defaults = table.writableFields
    .filter((field) => !given.has(field.slug) && encodeDefault(field).length > 0)
    .map(({ slug, defaultValue }) => [slug, defaultValue]);
  return { ...Object.fromEntries(defaults), ...values };
}
