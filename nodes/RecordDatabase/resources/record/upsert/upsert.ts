import type { IExecuteFunctions } from 'n8n-workflow';
import { createColumnForm } from '../../../../shared/kit/columns/json/columnForm';
import type { Item } from '../../../../shared/kit/operation/item';
import { toOutputs, type Operation, type Output } from '../../../../shared/kit/operation/operation';
import { createOptions, defineParameter } from '../../../../shared/kit/operation/parameter';
import { tableLocator } from '../../../../shared/kit/pickers/tablePickers';
import type { PayloadEntries } from '../../../../shared/model/fields';
import { InputError } from '../../../../shared/model/input/inputError';
import type { Table } from '../../../../shared/model/records/table';
import { toRecordOutputs, withAction } from '../write/recordOutputs';
import { findWithPauses } from '../../../../shared/transport/concurrency/findWithPauses';
import { isUnchanged } from '../../../../shared/kit/columns/isUnchanged';
import { ApiError } from '../../../../shared/transport/errors/apiError';
import { createRecord } from '../write/create';
import { isDuplicateError } from '../write/dedupe';
import { recordEndpoints } from '../../../../shared/model/endpoints/records';
import {
  changesLists,
  toNewRecordEntries,
  writeWithConnections,
} from '../../../../shared/kit/connections/changeConnections';
import { ensureConnectionsStored } from '../../../../shared/kit/connections/ensureStored';
import { withLookupEndpoints } from '../../../../shared/kit/connections/lookupEndpoints';
import { formulaOptions } from '../write/formulas';
import type { MatchKey } from './matchKey';
import { updateRecord } from '../write/update';
import { readMatchKey } from './batchLookup';
import { UpsertLookup, type MatchedRecord } from './upsertLookup';
import { readRecordEntries } from '../../../../shared/kit/columns/recordEntries';
import { applyDefaultsOption, updateOptions } from '../../../../shared/kit/columns/writeOptions';
import { changedOutput } from '../../../../shared/model/outputs/records';

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
    'Whether a record that already holds the values is written again. Otherwise it costs no request and is returned with "_action" set to "unchanged".',
});

/** Look-ups by execution context, so that a look-up's data lasts for one execution of the node. */
const upsertLookups = new WeakMap<IExecuteFunctions, UpsertLookup>();

function getLookup({ context }: Item): UpsertLookup {
  const lookup = upsertLookups.get(context) ?? new UpsertLookup();
  upsertLookups.set(context, lookup);
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
  for (const { id, record } of found) {
    const isWhole = !changesLists(item, table, entries);
    if (record && isWhole && !writesAll && isUnchanged(table, record, entries, seesAll)) {
      outputs.push(...withAction(toOutputs(record), 'unchanged'));
      continue;
    }
    getLookup(item).noteWrite(id);
    const written = await writeWithConnections(item, table, id, entries, async (all, before) =>
      withAction(toRecordOutputs(await updateRecord(item, table, id, all, before), { id }), 'updated'),
    );
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
    const body = await createRecord(item, all).catch((error: unknown) =>
      findAfterUnknownCreate(item, table, key, error),
    );
    ensureConnectionsStored(item, table, all, body, { action: 'created' });
    return { id: body.item.id, value: withAction(toRecordOutputs(body), 'created') };
  });
}

/** Looks for the record of a create whose response was lost. @throws the original error when no record is found */
async function findAfterUnknownCreate(item: Item, table: Table, key: MatchKey, error: unknown) {
  if (!(error instanceof ApiError) || !error.isOutcomeUnknown) throw error;
  const find = () =>
    getLookup(item)
      .findAnew(item, table, key)
      .then(
        ([match]) => match?.record,
        () => undefined,
      );
  const found = await findWithPauses(find, item.cancelSignal);
  if (!found) throw error;
  return { item: found };
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
      severalMatchesOption,
      writeUnchangedOption,
    ),
  ],
  async run(item) {
    const table = await item.getTable(item.read(tableLocator));
    const key = await readMatchKey(item, table);
    const lookup = getLookup(item);
    // The item enters the queue before its files are read, so a later item with the same key cannot overtake it.
    return lookup.runInOrder(item, table, key, async (found) => {
      const entries = await readRecordEntries(item, table);
      const update = (matches: MatchedRecord[]) =>
        updateMatches(item, table, entries, selectMatches(item, key, matches));
      if (found.length > 0) return update(found);
      return createUnmatched(item, table, key, entries).catch(async (error: unknown) => {
        const slugs = key.matches.map(({ slot }) => slot.field.slug);
        // Another client created the record after the look-up.
        const matches = isDuplicateError(error, slugs) ? await lookup.findAnew(item, table, key) : [];
        if (matches.length === 0) throw error;
        return update(matches);
      });
    });
  },
};
