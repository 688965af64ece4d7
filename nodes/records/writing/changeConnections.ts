/** Adds and removes connections. The service takes whole lists, so each list is computed from the one in the record. */
import { type Client, InputError, type ServiceRecord } from '../../service';
import type { Field, PayloadEntries } from '../fields/field';
import { getKind } from '../fields/kinds';
import { getFieldValue } from '../fields/recordValues';
import type { Table } from '../fields/table';

/**
 * Replaces the IDs to add or to remove by the whole list after the change. Leaves out lists that do not
 * change. `changed` has the IDs that are added or removed, by slug.
 * @throws InputError for a list that the record does not show
 */
export function computeNewIdLists(
  record: ServiceRecord,
  table: Table,
  entries: PayloadEntries,
  change: ConnectionChange,
) {
  const changed: Array<[slug: string, ids: string[]]> = [];
  const whole = entries.flatMap(([key, value]): PayloadEntries => {
    const field = findConnectionListField(table, key);
    if (!field) return [[key, value]];
    const before = requireConnectedIds(record, table, field);
    const given = (Array.isArray(value) ? value : []).map(String);
    const ids = given.filter((id) => before.includes(id) === (change === 'remove'));
    changed.push([field.slug, ids]);
    if (ids.length === 0) return [];
    return [[key, change === 'add' ? [...before, ...ids] : before.filter((id) => !ids.includes(id))]];
  });
  return { entries: whole, changed: Object.fromEntries(changed) };
}

/** What an update does with the given IDs of a list. */
export type ConnectionChange = 'replace' | 'add' | 'remove';

const findConnectionListField = (table: Table, key: string): Field | undefined => {
  const { field } = table.requireWritableRef(key, 'Fields');
  return field.connection?.many ? field : undefined;
};

export const hasConnectionLists = (table: Table, entries: PayloadEntries): boolean =>
  entries.some(([key]) => findConnectionListField(table, key));

/** Leaves out the values of connections that take several records. */
export const omitConnectionLists = (table: Table, entries: PayloadEntries): PayloadEntries =>
  entries.filter(([key]) => !findConnectionListField(table, key));

/** @throws InputError if the record does not show its connections: an incomplete list would remove some of them */
function requireConnectedIds(record: ServiceRecord, table: Table, field: Field): string[] {
  const shown = getFieldValue(record, { table, field });
  const ids = shown === undefined ? undefined : getKind(field).normalize(shown, field);
  if (Array.isArray(ids)) return ids.map(String);
  throw new InputError(
    `"${field.name}": the service does not show the connected records`,
    'Nothing was sent. Choose Replace under "Change of Connections", and give the whole list.',
  );
}

/** @throws InputError for a user login: a sent list would remove connections that the user cannot see */
export function ensureIdListsVisible({ credential }: Client, table: Table, entries: PayloadEntries): void {
  if (!credential.hasUserLogin) return;
  const field = entries.map(([key]) => findConnectionListField(table, key)).find(Boolean);
  throw new InputError(
    `"${field?.name}" may connect to records that this user cannot see`,
    'Nothing was sent: the service takes whole lists only, so those connections would be lost. Choose Replace under "Change of Connections", or use a credential without a user.',
  );
}
