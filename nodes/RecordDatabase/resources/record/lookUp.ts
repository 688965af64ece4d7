/** Look Up: adds to each item the record that has its key. */
import { cloneDeep, isEmpty, mapKeys } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { limitColumns } from '../../../n8n/agent/agent';
import { createColumnForm, readColumnForm } from '../../../n8n/columns/columnForm';
import { prepareEntriesInBatch } from '../../../n8n/columns/itemValues';
import { tableLocator } from '../../../n8n/lists/tablePickers';
import type { Item } from '../../../n8n/operation/item';
import type { Operation, Output } from '../../../n8n/operation/operation';
import { createRecordConverter } from '../../../n8n/operation/recordOutput';
import { simplifyRecordsParameter } from '../../../n8n/operation/simplify';
import {
  type ParameterDefinition,
  createOptions,
  defineParameter,
  showWhen,
} from '../../../n8n/parameters/parameter';
import {
  createMatchKey,
  formatPayloadKey,
  keepColumns,
  getReader,
  type MatchKey,
  type Table,
} from '../../../records';
import { formatForError, InputError, type ServiceRecord } from '../../../service';
import { columnsOption } from './columns';
import {
  createMatchKeyBatch,
  createSeveralMatchesOption,
  ensureMatchable,
  MATCH_FIELDS_LABEL,
  selectMatches,
} from './matchColumns';

const returnedItemsParameter = defineParameter({
  displayName: 'Return',
  name: 'returnedItems',
  type: 'options',
  default: 'all',
  // A tool looks up one key and returns the record, or null.
  forTools: 'never',
  options: [
    {
      name: 'All Items',
      value: 'all',
      description: 'Each item with its record, or with null if no record has its key',
    },
    { name: 'Only Items Found', value: 'found', description: 'The items with their records' },
    {
      name: 'Only Items Not Found',
      value: 'notFound',
      description: 'The items whose key no record has, unchanged',
    },
  ],
});

const severalMatchesOption = createSeveralMatchesOption('Return');

const recordFieldOption = defineParameter({
  displayName: 'Put Record in Field',
  name: 'recordField',
  type: 'string',
  default: 'record',
  forTools: 'never',
  description:
    'The field of the output item that holds the record. The fields of the input stay as they are beside it.',
});

/** @param prefix `/` for a parameter inside the collection Options */
const showIfRecordsReturned = <P extends ParameterDefinition>(parameter: P, prefix = ''): P =>
  showWhen(parameter, { [`${prefix}returnedItems`]: ['all', 'found'] });

/** The form of a tool always shows the option. */
const toOption = <P extends ParameterDefinition>(parameter: P): P => ({
  ...showIfRecordsReturned(parameter, '/'),
  inTools: { displayOptions: {} },
});

function readMatchValues(item: Item, table: Table): Record<string, unknown> {
  const { values } = readColumnForm(item);
  return mapKeys(values, (_, name) =>
    formatPayloadKey(ensureMatchable(table.requireFilterRef(name, MATCH_FIELDS_LABEL))),
  );
}

/**
 * The key may contain a field that the service sets itself, such as an Auto Increment.
 * @returns undefined if no record can have the key, because the name of a connected record belongs to no record
 * @throws InputError for a field without a value or with several, and for a name that several connected records have
 */
async function readLookUpKey(item: Item, table: Table): Promise<MatchKey | undefined> {
  const values = readMatchValues(item, table);
  const resolve = (name: string) => table.requireFilterRef(name, MATCH_FIELDS_LABEL);
  const { preview, missing } = await prepareEntriesInBatch(item, table, values, {
    use: 'key',
    allowsMissing: true,
    resolve,
  });
  const key = createMatchKey(Object.keys(values).map(resolve), preview);
  return missing ? undefined : key;
}

const isEmptyOutputValue = (value: unknown): boolean =>
  value === '' || (typeof value === 'object' && isEmpty(value));

/** By default, an AI model gets ten fields. With Simplify, empty fields are left out. */
function formatRecords(item: Item, table: Table, records: ServiceRecord[]): IDataObject[] {
  const names = item.readOptionOrDefault(columnsOption);
  const slugs = names.map((name) => table.requireField(name, 'Fields to Return').slug);
  const toJson = createRecordConverter(item, table);
  const isOff = item.read(simplifyRecordsParameter) === 'off';
  const outputs = records.map((record) => {
    const json = toJson(slugs.length > 0 ? keepColumns(record, slugs, table.fields) : record);
    const filled = Object.entries(json).filter(([, value]) => !isEmptyOutputValue(value));
    // Items with the same record get copies, because a later node may change them.
    return { json: cloneDeep(isOff ? json : Object.fromEntries(filled)) };
  });
  const shown = item.isTool && slugs.length === 0 ? limitColumns(outputs) : outputs;
  return shown.map(({ json }) => json);
}

/**
 * Adds the record under one key, so that it replaces no values of the input. @throws InputError if the input has this
 * key
 */
function addRecordToItem(item: Item, record: IDataObject | null, input = item.input): Output {
  const field = item.readOptionOrDefault(recordFieldOption) || recordFieldOption.default;
  // A tool returns the record alone: its input is what the model gave.
  if (item.isTool) return { json: { [field]: record } };
  const { json, binary } = input;
  if (Object.hasOwn(json, field)) {
    throw new InputError(
      `The input already has a field ${formatForError(field)}`,
      'Give another name under "Put Record in Field" in the options. The fields of the input stay in the output.',
    );
  }
  return { json: { ...json, [field]: record }, ...(binary && { binary }) };
}

export const lookUp: Operation = {
  name: 'lookUp',
  displayName: 'Look Up',
  action: 'Look up records',
  description:
    'Find a record by its key, such as an e-mail address: to get further fields, or to know whether it exists',
  parameters: [
    tableLocator,
    ...createColumnForm('lookUp'),
    returnedItemsParameter,
    showIfRecordsReturned(simplifyRecordsParameter),
    createOptions(toOption(columnsOption), toOption(severalMatchesOption), toOption(recordFieldOption)),
  ],
  async run(item) {
    const table = await item.getTable(item.read(tableLocator));
    const key = await readLookUpKey(item, table);
    const batch = createMatchKeyBatch(item, table, key, readLookUpKey);
    const found = key ? (await getReader(item.client, table).findByKey(key, { batch })).records : [];
    const returned = item.read(returnedItemsParameter);
    if (returned === 'notFound') {
      const { json, binary } = item.input;
      if (found.length > 0) return [];
      return [item.isTool ? addRecordToItem(item, null) : { json, ...(binary && { binary }) }];
    }
    if (!key || found.length === 0) return returned === 'found' ? [] : [addRecordToItem(item, null)];
    const records = selectMatches(item, severalMatchesOption, key, found);
    return formatRecords(item, table, records).map((record, index) =>
      addRecordToItem(item, record, index > 0 ? cloneDeep(item.input) : item.input),
    );
  },
};
