/**
 * The operation Create or Update, `upsert`: it updates the records that have the key of an item, or creates one. It
 * gives its steps to `upsertRecord`, which orders them.
 */
import { difference, union } from 'lodash';
import {
  applyDefaultsOption,
  createColumnForm,
  readConnectionChange,
  updateOptions,
} from '../../../n8n/columns/columnForm';
import { addItemDefaults, ItemValues } from '../../../n8n/columns/itemValues';
import { explainRefusedValues } from '../../../n8n/columns/refusedValues';
import { tableLocator } from '../../../n8n/lists/tablePickers';
import type { Operation, Output } from '../../../n8n/operation/operation';
import { outputForm } from '../../../n8n/operation/recordOutput';
import { createOptions } from '../../../n8n/parameters/parameter';
import { type MatchedRecord, omitLists, type PayloadEntries, upsertRecord } from '../../../records';
import { createItemRecord, finishCreate } from './create';
import { formulaOption } from './formulas';
import { checkLink, linkOption, readLink } from './link';
import {
  createKeyBatch,
  createSeveralMatchesOption,
  checkMatchKey,
  describeTakenRemedy,
  readMatchKey,
  selectMatches,
} from './matchColumns';
import { updateToOutputs } from './update';

const severalMatchesOption = createSeveralMatchesOption('Update');

/**
 * Updates the matching records. One that has the values is not written, unless formulas or rules are to run.
 * @param select returns the values that no item further behind has written
 */
async function updateMatches(
  values: ItemValues,
  entries: PayloadEntries,
  found: MatchedRecord[],
  select: (match: MatchedRecord) => PayloadEntries,
): Promise<Output[]> {
  const { item, table } = values;
  // Connections that are added or removed do not replace those of another item.
  const lists =
    readConnectionChange(item) === 'replace' ? [] : difference(entries, omitLists(table, entries));
  const outputs: Output[] = [];
  for (const match of found) {
    const { id, record, readAt } = match;
    const selected = union(select(match), lists);
    const before = record && { record, readAt };
    outputs.push(...(await updateToOutputs(values, id, { entries: selected, before })));
  }
  return outputs;
}

/** Adds the defaults to the values of a new record. */
function toNewEntries({ item, table }: ItemValues, entries: PayloadEntries): PayloadEntries {
  const all = addItemDefaults(item, table, entries);
  // A new record has no connections to remove.
  return readConnectionChange(item) === 'remove' ? omitLists(table, all) : all;
}

export const upsert: Operation = {
  name: 'upsert',
  displayName: 'Create or Update',
  action: 'Create or update record',
  description:
    'Create a new record, or update the current one if it already exists (upsert). Match on a unique field: nothing else prevents doubled records when other programs or n8n workers write at the same time.',
  writes: true,
  parameters: [
    tableLocator,
    ...createColumnForm('upsert'),
    ...outputForm,
    createOptions(applyDefaultsOption, ...updateOptions, formulaOption, severalMatchesOption, linkOption),
  ],
  explain: (item, error) =>
    explainRefusedValues(item, error, (table) => describeTakenRemedy(item, table, error)),
  done: ['record', 'created or updated'],
  async check(item) {
    const values = new ItemValues(item, await item.getTable(item.read(tableLocator)));
    await checkLink(item);
    values.check();
    checkMatchKey(values);
  },
  // No wait comes before the call: it gives the item its place in the order.
  run: (item) =>
    upsertRecord(item.client, async () => {
      const table = await item.getTable(item.read(tableLocator));
      // A wrong link is an error before connected records are created.
      await readLink(item);
      const values = new ItemValues(item, table);
      const key = await readMatchKey(values);
      return {
        table,
        key,
        batch: createKeyBatch(item, table, key),
        // The item enters the queue before its files are read, so a later item with the same key cannot overtake it.
        prepare: () => values.encode(),
        update: (entries, matches, select) =>
          updateMatches(values, entries, selectMatches(item, severalMatchesOption, key, matches), select),
        prepareNew: (entries) => Promise.resolve(toNewEntries(values, entries)),
        create: (entries) => createItemRecord(item, table, entries),
        finish: async (body, entries) => [
          { json: await finishCreate(values, { action: 'created', entries, created: body }) },
        ],
      };
    }),
};
