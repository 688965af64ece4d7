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
import { checkRecordValues, readRecordEntries } from '../../../n8n/columns/recordEntries';
import { explainRefusedValues } from '../../../n8n/columns/refusedValues';
import { tableLocator } from '../../../n8n/lists/tablePickers';
import type { Item } from '../../../n8n/operation/item';
import type { Operation, Output } from '../../../n8n/operation/operation';
import { outputForm } from '../../../n8n/operation/recordOutput';
import { createOptions } from '../../../n8n/parameters/parameter';
import {
  type MatchedRecord,
  omitLists,
  type PayloadEntries,
  type Table,
  upsertRecord,
} from '../../../records';
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
  item: Item,
  table: Table,
  entries: PayloadEntries,
  found: MatchedRecord[],
  select: (match: MatchedRecord) => PayloadEntries,
): Promise<Output[]> {
  // Connections that are added or removed do not replace those of another item.
  const lists =
    readConnectionChange(item) === 'replace' ? [] : difference(entries, omitLists(table, entries));
  const outputs: Output[] = [];
  for (const match of found) {
    const { id, record, readAt } = match;
    const selected = union(select(match), lists);
    const before = record && { record, readAt };
    outputs.push(...(await updateToOutputs(item, table, id, { entries: selected, before })));
  }
  return outputs;
}

/** Adds the defaults to the values of a new record. */
async function readNewEntries(item: Item, table: Table, entries: PayloadEntries): Promise<PayloadEntries> {
  const withDefaults = item.readOptionOrDefault(applyDefaultsOption);
  const given = withDefaults ? await readRecordEntries(item, table, { withDefaults }) : entries;
  // A new record has no connections to remove.
  return readConnectionChange(item) === 'remove' ? omitLists(table, given) : given;
}

export const upsert: Operation = {
  name: 'upsert',
  displayName: 'Create or Update',
  action: 'Create or update record',
  description:
    'Create a new record, or update the current one if it already exists (upsert). Only a unique field to match on prevents doubled records when several n8n processes or other clients write at the same time.',
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
    const table = await item.getTable(item.read(tableLocator));
    await checkLink(item);
    checkRecordValues(item, table);
    checkMatchKey(item, table);
  },
  // No wait comes before the call: it gives the item its place in the order.
  run: (item) =>
    upsertRecord(item.client, async () => {
      const table = await item.getTable(item.read(tableLocator));
      // A wrong link is an error before connected records are created.
      await readLink(item);
      const key = await readMatchKey(item, table);
      return {
        table,
        key,
        batch: createKeyBatch(item, table),
        // The item enters the queue before its files are read, so a later item with the same key cannot overtake it.
        prepare: () => readRecordEntries(item, table),
        update: (entries, matches, select) =>
          updateMatches(
            item,
            table,
            entries,
            selectMatches(item, severalMatchesOption, key, matches),
            select,
          ),
        prepareNew: (entries) => readNewEntries(item, table, entries),
        create: (entries) => createItemRecord(item, table, entries),
        finish: async (body, entries) => [
          { json: await finishCreate(item, table, { action: 'created', entries, created: body }) },
        ],
      };
    }),
};
