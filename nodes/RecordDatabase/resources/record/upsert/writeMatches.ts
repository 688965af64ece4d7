import { isUnchanged } from '../../../../shared/kit/columns/isUnchanged';
import { readRecordEntries } from '../../../../shared/kit/columns/recordEntries';
import { verifyCreated } from '../../../../shared/kit/columns/verifyAnswer';
import { applyDefaultsOption } from '../../../../shared/kit/columns/writeOptions';
import {
  changesLists,
  toNewRecordEntries,
  writeWithConnections,
} from '../../../../shared/kit/connections/changeConnections';
import { ensureConnectionsStored } from '../../../../shared/kit/connections/ensureStored';
import { Item } from '../../../../shared/kit/operation/item';
import { type Output, toOutputs } from '../../../../shared/kit/operation/operation';
import { defineParameter } from '../../../../shared/kit/operation/parameter';
import type { PayloadEntries } from '../../../../shared/model/fields/payloadEntries';
import { InputError } from '../../../../shared/model/input/inputError';
import { Table } from '../../../../shared/model/records/table';
import type { Client } from '../../../../shared/transport/client';
import { findAfterLostResponse } from '../../../../shared/transport/concurrency/findWithPauses';
import { createRecord } from '../write/create';
import { toRecordOutputs, withAction } from '../write/recordOutputs';
import { updateRecord } from '../write/update';
import type { MatchKey } from './matchKey';
import { type MatchedRecord, UpsertLookup } from './upsertLookup';

export const severalMatchesOption = defineParameter({
  displayName: 'If Several Match',
  name: 'onSeveral',
  type: 'options',
  default: 'error',
  options: [
    { name: 'Return an Error', value: 'error' },
    { name: 'Update All', value: 'all' },
    { name: 'Update the First', value: 'first' },
  ],
});

export const writeUnchangedOption = defineParameter({
  displayName: 'Write Unchanged Records',
  name: 'writeUnchanged',
  type: 'boolean',
  default: true,
  description:
    'Whether to write a record again that already holds the values. Otherwise it is not written, and returned with "_action" set to "unchanged".',
});

/** Look-ups by client, so that a look-up's data lasts for one execution of the node and belongs to one user. */
const upsertLookups = new WeakMap<Client, UpsertLookup>();

export function getLookup({ client }: Item): UpsertLookup {
  const lookup = upsertLookups.get(client) ?? new UpsertLookup();
  upsertLookups.set(client, lookup);
  return lookup;
}

export function selectMatches(item: Item, key: MatchKey, found: MatchedRecord[]): MatchedRecord[] {
  const policy = item.readOption(severalMatchesOption);
  if (found.length <= 1 || policy === 'all') return found;
  if (policy === 'first') return found.slice(0, 1);
  throw new InputError(
    `${found.length} records match ${key.text}`,
    'Match on a column that tells records apart, or choose what to do under "If Several Match".',
  );
}

/** Updates the matching records. A record that has the values is written only with "Write Unchanged Records". */
export async function updateMatches(
  item: Item,
  table: Table,
  entries: PayloadEntries,
  found: MatchedRecord[],
): Promise<Output[]> {
  const outputs: Output[] = [];
  const writesAll = item.readOption(writeUnchangedOption) ?? false;
  const seesAll = !item.client.credential.userLogin;
  for (const { id, record, readAt } of found) {
    const isWhole = !changesLists(item, table, entries);
    if (record && isWhole && !writesAll && isUnchanged(table, record, entries, seesAll)) {
      outputs.push(...withAction(toOutputs(record), 'unchanged'));
      continue;
    }
    getLookup(item).noteWrite(id);
    const before = record && { record, readAt };
    const written = await writeWithConnections(item, table, id, entries, async (change) => {
      const details = { ...change, before, writesUnchanged: writesAll };
      const { action, body } = await updateRecord(item, table, id, details);
      return withAction(toRecordOutputs(body, { id }), action);
    });
    outputs.push(...written);
  }
  return outputs;
}

export async function createUnmatched(
  item: Item,
  table: Table,
  key: MatchKey,
  entries: PayloadEntries,
): Promise<Output[]> {
  const withDefaults = item.readOption(applyDefaultsOption);
  const given = withDefaults ? await readRecordEntries(item, table, { withDefaults }) : entries;
  const all = toNewRecordEntries(item, table, given);
  return getLookup(item).create(item, table, key, async () => {
    const find = async () => (await getLookup(item).findAnew(item, table, key))[0]?.record;
    const body = await createRecord(item, all).catch(async (error: unknown) => ({
      item: await findAfterLostResponse(error, find, item.cancelSignal),
    }));
    await verifyCreated(item, table, all, body);
    ensureConnectionsStored(item, table, all, body, { action: 'created' });
    return { id: body.item.id, value: withAction(toRecordOutputs(body), 'created') };
  });
}
