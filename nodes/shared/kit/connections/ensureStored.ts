import { getKind, type PayloadEntries } from '../../model/fields';
import { asObject, isObject } from '../../model/input/isObject';
import { getShownValue } from '../../model/records/recordValues';
import type { FieldRef, Table } from '../../model/records/table';
import { ApiError } from '../../transport/errors/apiError';
import type { Item } from '../operation/item';

/**
 * Returns the IDs that were sent and that the record does not contain. Returns none if the record has display values
 * instead of IDs, because these cannot be compared.
 */
function findLostIds(record: Record<string, unknown>, sent: unknown, ref: FieldRef): string[] {
  const read = (value: unknown) => getKind(ref.field).read(value, ref.field) as string[] | undefined;
  const shown = read(getShownValue(record, ref));
  const wanted = read(sent) ?? [];
  const lengths = new Set(wanted.map(({ length }) => length));
  if (!shown?.every(({ length }) => lengths.has(length))) return [];
  return wanted.filter((id) => !shown.includes(id));
}

/**
 * Compares the connections that were sent with those of the response. The service may ignore an ID that it does not
 * know. A user may not see all connections, so with a user login nothing is compared.
 * @param action what happened to the record
 * @throws ApiError that names the record, the connection and the IDs that were not stored
 */
export function ensureConnectionsStored(
  item: Item,
  table: Table,
  entries: PayloadEntries,
  response: unknown,
  { action, recordId }: { action: 'created' | 'updated'; recordId?: string },
): void {
  const { item: record } = asObject(response);
  if (!isObject(record) || item.client.credential.userLogin) return;
  const id = recordId ?? String(record.id);
  for (const [key, value] of entries) {
    const { field } = table.resolvePayloadField(key, 'Columns');
    const lost = field.connection ? findLostIds(record, value, { table, field }) : [];
    if (lost.length === 0) continue;
    throw new ApiError({
      message: `"${field.name}" does not hold ${lost.map((one) => `"${one}"`).join(', ')}: the service did not store it`,
      description: `Record ${id} was ${action} with the other values. The connected table may have no record with this ID. If it is a name, choose Names under "Connected Records".`,
      details: { recordId: id },
    });
  }
}
