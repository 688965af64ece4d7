/** Create or Update: updates the record that has the key of an item, or creates one. */
import {
  applyDefaultsOption,
  createColumnForm,
  readConnectionChange,
  updatingOptions,
} from '../../../n8n/columns/columnForm';
import { addFieldDefaults, ItemValues, omitRemovedConnections } from '../../../n8n/columns/itemValues';
import { explainRefusedValues } from '../../../n8n/columns/refusedValues';
import { tableLocator } from '../../../n8n/lists/tablePickers';
import type { Operation, Output } from '../../../n8n/operation/operation';
import { outputForm } from '../../../n8n/operation/recordOutput';
import { createOptions } from '../../../n8n/parameters/parameter';
import { ensureValidOrUnchanged, getReader, type PayloadEntries, upsertRecord } from '../../../records';
import { createRecordFromValues } from './create';
import { formulaOption } from './formulas';
import { readParentOption, parentOption, findParentLink } from './link';
import {
  createMatchKeyBatch,
  createSeveralMatchesOption,
  ensureMatchKeyHasValues,
  createDuplicateRemedy,
  readMatchKey,
  selectMatches,
} from './matchColumns';
import { updateRecordFromValues } from './update';

const severalMatchesOption = createSeveralMatchesOption('Update');

export const upsert: Operation = {
  name: 'upsert',
  displayName: 'Create or Update',
  action: 'Create or update record',
  description: 'Create a new record, or update the current one if it already exists (upsert)',
  writes: true,
  parameters: [
    tableLocator,
    ...createColumnForm('upsert'),
    ...outputForm,
    createOptions(applyDefaultsOption, ...updatingOptions, formulaOption, severalMatchesOption, parentOption),
  ],
  explain: (item, thrown) =>
    explainRefusedValues(item, thrown, (table, error) => createDuplicateRemedy(item, table, error)),
  async check(item) {
    const table = await item.getTable(item.read(tableLocator));
    const values = new ItemValues(item, table, { allowsRefused: true });
    await readParentOption(item);
    ensureMatchKeyHasValues(values);
    await ensureValidOrUnchanged(table, values.check(), async () => {
      const key = await readMatchKey(values);
      const batch = createMatchKeyBatch(item, table, key);
      return (await getReader(item.client, table).findByKey(key, { batch })).records;
    });
  },
  // `upsertRecord` queues the items in the order of its calls. An `await` before a call could change this order.
  run: (item) =>
    upsertRecord<Output>(item.client, async () => {
      const table = await item.getTable(item.read(tableLocator));
      // A wrong link must be an error before connected records are created.
      await findParentLink(item);
      const values = new ItemValues(item, table, { allowsRefused: true });
      const key = await readMatchKey(values);
      const connectionChange = readConnectionChange(item);
      let given: PayloadEntries = [];
      return {
        table,
        key,
        batch: createMatchKeyBatch(item, table, key),
        // The item enters the queue before its files are read, so a later item with the same key cannot overtake it.
        prepare: async () => (given = await values.encodeEntries()),
        select: (matches) => selectMatches(item, severalMatchesOption, key, matches),
        update: async (id, change) => ({ json: await updateRecordFromValues(values, id, change) }),
        prepareNew: async (entries) =>
          omitRemovedConnections(item, table, await addFieldDefaults(item, table, entries)),
        async create(creation) {
          const onCreated = (recordId: string) => {
            creation.onCreated?.(recordId);
            // `given` lacks the default values, so an earlier item that runs again may still replace them.
            item.setLastWriter({ table, recordId, entries: given, connectionChange });
          };
          return { json: await createRecordFromValues(values, { ...creation, onCreated }) };
        },
      };
    }),
};
