/** The operation Create, and functions with which other operations create a record. */
import { compact } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import {
  applyDefaultsOption,
  createColumnForm,
  readConnectionNotation,
  valueOptions,
} from '../../../n8n/columns/columnForm';
import { addFieldDefaults, ItemValues } from '../../../n8n/columns/itemValues';
import { explainRefusedValues } from '../../../n8n/columns/refusedValues';
import { tableLocator } from '../../../n8n/lists/tablePickers';
import type { Item } from '../../../n8n/operation/item';
import type { Operation, Output } from '../../../n8n/operation/operation';
import { outputForm } from '../../../n8n/operation/recordOutput';
import { createOptions, defineLoadedChoice, createLoadOptions } from '../../../n8n/parameters/parameter';
import {
  createMatchKey,
  createRecord,
  getReader,
  type MatchKey,
  type PayloadEntries,
  runInTurn,
  type Table,
  upsertRecord,
} from '../../../records';
import { ApiError, asThrown, InputError, rewordError, tryOr } from '../../../service';
import { createFormulaHeaders, formulaLogOption, returnsEquationLog } from './formulas';
import { readParentOption, parentOption, findParentLink } from './link';
import { createDuplicateRemedy, createMatchKeyBatch } from './matchColumns';

const dedupeOption = defineLoadedChoice({
  displayName: 'Dedupe Field Name or ID',
  name: 'dedupeField',
  typeOptions: createLoadOptions('getUniqueFields'),
  description:
    'Unique field whose value is created exactly once: a record that has the value already is returned as it is, also when an answer is lost, or the workflow runs again. "_action" in the output is "created" or "found".',
});

/** @throws InputError if the field is not unique, or has no value */
function readDedupeKey(table: Table, name: string, entries: PayloadEntries): MatchKey {
  if (name === '') {
    throw new InputError(
      'Dedupe Field: no field is chosen',
      'Choose one, or remove the option. An expression may have returned nothing.',
    );
  }
  const field = table.requireField(name, 'Dedupe Field');
  if (!field.unique) {
    throw new InputError(
      `Dedupe Field: "${field.name}" is not unique`,
      'Choose a unique field, or make this one unique in the service. Otherwise the service would accept a second record.',
    );
  }
  const key = tryOr(() => createMatchKey([{ table, field }], entries), undefined);
  if (!key) {
    throw new InputError(
      `Dedupe Field: "${field.name}" has no value`,
      'Give the field a value that tells records apart.',
    );
  }
  return key;
}

const addDedupeHint = (error: unknown): unknown =>
  error instanceof ApiError && error.isOutcomeUnknown
    ? rewordError(error, ({ description }) => ({
        description: `${description} With a unique field under "Dedupe Field Name or ID" in the options, the item can be repeated: the record is then found.`,
      }))
    : error;

export async function createItemRecord(
  item: Item,
  creation: Parameters<typeof createRecord>[1],
): ReturnType<typeof createRecord> {
  return createRecord(item.client, {
    ...creation,
    link: await findParentLink(item, creation.entries),
    showsEquations: returnsEquationLog(item),
    headers: createFormulaHeaders(item),
    onCreated(id) {
      item.hasStarted = true;
      creation.onCreated?.(id);
    },
  });
}

export async function createRecordFromValues(
  values: ItemValues,
  creation: Parameters<typeof createRecord>[1],
): Promise<IDataObject> {
  const { equationLog, ...result } = await createItemRecord(values.item, creation);
  const json = await values.formatWrite(result);
  return equationLog === undefined ? json : { ...json, equationLog: equationLog as IDataObject };
}

const readItemValues = async (item: Item): Promise<ItemValues> =>
  new ItemValues(item, await item.getTable(item.read(tableLocator)), { needsValue: 'create' });

const encodeNewRecord = async (values: ItemValues): Promise<PayloadEntries> =>
  addFieldDefaults(values.item, values.table, await values.encodeEntries());

async function createNewRecord(values: ItemValues): Promise<Output[]> {
  const creation = { table: values.table, entries: await encodeNewRecord(values) };
  const created = createRecordFromValues(values, creation).catch((error: unknown) => {
    throw asThrown(addDedupeHint(error));
  });
  return [{ json: await created }];
}

function findOrCreateRecord(values: ItemValues, name: string): Promise<Output[]> {
  const { item, table } = values;
  return upsertRecord<Output>(item.client, async () => {
    const key = readDedupeKey(table, name, values.check());
    const readKey = async (peer: Item) =>
      readDedupeKey(table, peer.readOption(dedupeOption) ?? '', new ItemValues(peer, table).check());
    return {
      table,
      key,
      batch: createMatchKeyBatch(item, table, key, readKey),
      // Only a new record is written, so nothing is prepared for a record that is found.
      prepare: async () => [],
      prepareNew: () => encodeNewRecord(values),
      select: (matches) => matches.slice(0, 1),
      async update(id, { before }) {
        const { record } = before ?? (await getReader(item.client, table).getRecord(id));
        return { json: await values.formatWrite({ action: 'found', record }) };
      },
      create: async (input) => ({ json: await createRecordFromValues(values, { ...input, isUnique: true }) }),
    };
  });
}

const DUPLICATE_REMEDY =
  'To change the record that has it, use Create or Update. To return it, choose the field under "Dedupe Field" in the options.';

export const create: Operation = {
  name: 'create',
  displayName: 'Create',
  action: 'Create record',
  description: 'Create a record',
  makes: {
    noun: 'records',
    remedy:
      'Choose a unique field under "Dedupe Field Name or ID" in the options: a record that exists is then returned.',
    isSafe: (item) => item.readOption(dedupeOption) !== undefined,
  },
  writes: true,
  parameters: [
    tableLocator,
    ...createColumnForm('create'),
    ...outputForm,
    createOptions(applyDefaultsOption, ...valueOptions, dedupeOption, formulaLogOption, parentOption),
  ],
  explain: (item, thrown) =>
    explainRefusedValues(item, thrown, (table, error) =>
      createDuplicateRemedy(item, table, error, DUPLICATE_REMEDY, compact([item.readOption(dedupeOption)])),
    ),
  async check(item) {
    const values = await readItemValues(item);
    await readParentOption(item, Object.entries(values.values));
    const entries = values.check();
    const name = item.readOption(dedupeOption);
    if (name !== undefined) readDedupeKey(values.table, name, entries);
  },
  async run(item) {
    const name = item.readOption(dedupeOption);
    const values = await readItemValues(item);
    const { table } = values;
    const write = async () => {
      // A wrong link must be an error before connected records are created.
      await findParentLink(item, Object.entries(values.values));
      return name === undefined ? createNewRecord(values) : findOrCreateRecord(values, name);
    };
    // In a table that is connected to itself, an item may name a record that an earlier item creates, such as a
    // manager. Such items run one after the other, so that Create Missing finds this record.
    const mayNameEarlier =
      readConnectionNotation(item).createsMissing &&
      table.connections.some(({ connection }) => connection.tableId === table.id);
    return mayNameEarlier ? runInTurn(item.client, ['creation', table.id], write) : write();
  },
};
