import { listOf } from '../list';
import { misfit, oneColumn, type Codec } from './codec';

/** An id, a record that was read (`{id}`), or an entry of `<slug>_val` (`{id, val}`). */
function idOf(value: unknown): string | undefined {
  if (typeof value === 'object' && value !== null && 'id' in value) return idOf(value.id);
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** Connection and User: record ids; a single one for a one-to-one connection, an array for one-to-many. */
export const connection: Codec = {
  example: '["recordId1", "recordId2"], or "recordId1, recordId2"',
  columns: (field) => oneColumn(field, 'string'),
  encode(value, field) {
    const ids = listOf(value).map((one) => idOf(one) ?? '');
    if (ids.includes('')) throw misfit(field, value, connection.example);
    if (field.connection?.many ?? false) return [[field.slug, ids]];
    if (ids.length > 1) throw misfit(field, value, '"recordId1"', 'It connects to one record only.');
    return [[field.slug, ids[0] ?? '']];
  },
};
