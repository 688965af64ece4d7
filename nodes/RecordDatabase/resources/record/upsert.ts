import { isEqual } from 'lodash';
import { findAfterLostResponse } from '../../../client/concurrency/wait';
import { recordEndpoints } from '../../../client/endpoints/catalogue';
import { isServiceNotFound } from '../../../client/errors/apiError';
import type { PayloadEntries } from '../../../client/fields/field';
import { Table } from '../../../client/fields/table';
import type { Client } from '../../../client/http/client';
import { InputError } from '../../../client/input/inputError';
import { isUnchanged } from '../../../client/update/currentValues';
import {
  changesLists,
  ensureConnectionsStored,
  toNewRecordEntries,
  writeWithConnections,
} from '../../../n8n/columns/changeConnections';
import { createColumnForm } from '../../../n8n/columns/columnForm';
import { readRecordEntries } from '../../../n8n/columns/recordEntries';
import { verifyCreated } from '../../../n8n/columns/update';
import { applyDefaultsOption, updateOptions } from '../../../n8n/columns/writeOptions';
import { tableLocator } from '../../../n8n/lists/tablePickers';
import { Item } from '../../../n8n/operation/item';
import { withLookupEndpoints } from '../../../n8n/operation/lookupEndpoints';
import { type Operation, type Output, toOutputs } from '../../../n8n/operation/operation';
import { changedOutput } from '../../../n8n/operation/outputs';
import { createOptions, defineParameter } from '../../../n8n/parameters/parameter';
import { createRecord } from './create';
import { isDuplicateError } from './dedupe';
import { formulaOptions } from './formulas';
import { linkOption, readLink } from './link';
import type { MatchKey } from './matchKey';
import { toRecordOutputs, withAction } from './recordOutputs';
import { updateRecord } from './update';
import { type MatchedRecord, UpsertLookup, readMatchKey } from './upsertLookup';

const severalMatchesOption = defineParameter({
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

const writeUnchangedOption = defineParameter({
  displayName: 'Write Unchanged Records',
  name: 'writeUnchanged',
  type: 'boolean',
  default: true,
  description:
    'Whether to write a record again that already holds the values. Otherwise it is not written, and returned with "_action" set to "unchanged".',
});

/** Look-ups by client, so that a look-up's data lasts for one execution of the node and belongs to one user. */
const upsertLookups = new WeakMap<Client, UpsertLookup>();

function getLookup({ client }: Item): UpsertLookup {
  const lookup = upsertLookups.get(client) ?? new UpsertLookup();
  upsertLookups.set(client, lookup);
  return lookup;
}

function selectMatches(item: Item, key: MatchKey, found: MatchedRecord[]): MatchedRecord[] {
  const policy = item.readOption(severalMatchesOption);
  if (found.length <= 1 || policy === 'all') return found;
  if (policy === 'first') return found.slice(0, 1);
  throw new InputError(
    `${found.length} records match ${key.text}`,
    'Match on a column that tells records apart, or choose what to do under "If Several Match".',
  );
}

/** Updates the matching records. A record that has the values is written only with "Write Unchanged Records". */
async function updateMatches(
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

async function createUnmatched(
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
      item: await findAfterLostResponse(error, find, item.client),
    }));
    await verifyCreated(item, table, all, body);
    ensureConnectionsStored(item, table, all, body, { action: 'created' });
    return { id: body.item.id, value: withAction(toRecordOutputs(body), 'created') };
  });
}

const listIds = (matches: MatchedRecord[]) => matches.map(({ id }) => id);

/**
 * Whether another client created or deleted the record after the look-up. An error about one of several records is
 * final, because the other ones may have been updated.
 */
function isLookupOutdated(error: unknown, key: MatchKey, found: MatchedRecord[]): boolean {
  const slugs = key.matches.map(({ slot }) => slot.field.slug);
  return found.length === 0 ? isDuplicateError(error, slugs) : found.length === 1 && isServiceNotFound(error);
}

export const upsert: Operation = {
  name: 'upsert',
  displayName: 'Create or Update',
  action: 'Create or update record',
  description:
    'Create a new record, or update the current one if it already exists (upsert). Only a unique column to match on prevents doubled records when several n8n processes or other clients write at the same time.',
  output: changedOutput,
  endpoints: withLookupEndpoints(
    recordEndpoints.listFiltered,
    recordEndpoints.create,
    recordEndpoints.update,
    recordEndpoints.get,
  ),
  parameters: [
    tableLocator,
    ...createColumnForm('upsert'),
    createOptions(
      ...updateOptions,
      ...formulaOptions,
      applyDefaultsOption,
      linkOption,
      severalMatchesOption,
      writeUnchangedOption,
    ),
  ],
  async run(item) {
    const table = await item.getTable(item.read(tableLocator));
    // A wrong link is an error before connected records are created.
    await readLink(item);
    const key = await readMatchKey(item, table);
    const lookup = getLookup(item);
    // The item enters the queue before its files are read, so a later item with the same key cannot overtake it.
    return lookup.runInOrder(item, table, key, async (found) => {
      const entries = await readRecordEntries(item, table);
      const write = (matches: MatchedRecord[]) =>
        matches.length > 0
          ? updateMatches(item, table, entries, selectMatches(item, key, matches))
          : createUnmatched(item, table, key, entries);
      return write(found).catch(async (error: unknown) => {
        if (!isLookupOutdated(error, key, found)) throw error;
        const matches = await lookup.findAnew(item, table, key);
        // The service hides the record, so a second attempt would fail too.
        if (isEqual(listIds(matches), listIds(found))) throw error;
        return write(matches);
      });
    });
  },
};
