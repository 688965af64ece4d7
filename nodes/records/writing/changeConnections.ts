/**
 * Adds connections to a record, or removes them. In this file, a list is the value of a connection to several records.
 * The service accepts only whole lists, so each new list is computed from the list in the record.
 */
import { type Client, InputError, type ServiceRecord } from '../../service';
import type { Field, PayloadEntries } from '../fields/field';
import { getKind } from '../fields/kinds';
import { getFieldValue } from '../fields/recordValues';
import type { Table } from '../fields/table';

/**
 * Computes the whole lists to send.
 * @param entries the values of the item. Their lists contain the IDs to add or to remove
 * @returns `entries`: the values with whole lists. Lists that do not change are left out. `changed`: the IDs that are
 *   added or removed, by the slug of each given list
 * @throws InputError for a list that the record does not show
 */
export function computeWholeLists(
  record: ServiceRecord,
  table: Table,
  entries: PayloadEntries,
  change: ConnectionChange,
) {
  const changed: Array<[slug: string, ids: string[]]> = [];
  const whole = entries.flatMap(([key, value]): PayloadEntries => {
    const field = findListField(table, key);
    if (!field) return [[key, value]];
    const before = readConnectedIds(record, table, field);
    const given = (Array.isArray(value) ? value : []).map(String);
    const ids = given.filter((id) => before.includes(id) === (change === 'remove'));
    changed.push([field.slug, ids]);
    if (ids.length === 0) return [];
    return [[key, change === 'add' ? [...before, ...ids] : before.filter((id) => !ids.includes(id))]];
  });
  return { entries: whole, changed: Object.fromEntries(changed) };
}

/**
 * What an update does with the given IDs: they replace the IDs of a list, are added to them, or are removed from them.
 */
export type ConnectionChange = 'replace' | 'add' | 'remove';

const findListField = (table: Table, key: string): Field | undefined => {
  const { field } = table.requireWritableRef(key, 'Fields');
  return field.connection?.many ? field : undefined;
};

export const hasConnectionLists = (table: Table, entries: PayloadEntries): boolean =>
  entries.some(([key]) => findListField(table, key));

export const omitConnectionLists = (table: Table, entries: PayloadEntries): PayloadEntries =>
  entries.filter(([key]) => !findListField(table, key));

/**
 * Reads the IDs of a list in a record.
 * @throws InputError if the record does not show the list. Sending a list would then remove connections
 */
function readConnectedIds(record: ServiceRecord, table: Table, field: Field): string[] {
  const shown = getFieldValue(record, { table, field });
  const ids = shown === undefined ? undefined : getKind(field).normalize(shown, field);
  if (Array.isArray(ids)) return ids.map(String);
  throw new InputError(
    `"${field.name}": the service does not show the connected records`,
    'Nothing was sent. Choose Replace under "Change of Connections", and give the whole list.',
  );
}

/**
 * Checks that the credential has no user login. The service may hide connections from a logged-in user, and sending a
 * list without them would remove them.
 * @throws InputError for a credential with a user login
 */
export function ensureNoUserLogin({ credential }: Client, table: Table, entries: PayloadEntries): void {
  if (!credential.hasUserLogin) return;
  const field = entries.map(([key]) => findListField(table, key)).find(Boolean);
  throw new InputError(
    `"${field?.name}" may connect to records that this user cannot see`,
    'Nothing was sent: the service takes whole lists only, so those connections would be lost. Choose Replace under "Change of Connections", or use a credential without a user.',
  );
}
