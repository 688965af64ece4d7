import { clearColumnsOption, createColumnForm, valueOptions } from '../../../n8n/columns/columnForm';
import { ItemValues } from '../../../n8n/columns/itemValues';
import { filterParametersOption, requiredFilterForm } from '../../../n8n/filter/filterForm';
import { selectItemRecords } from '../../../n8n/filter/readFilter';
import { hideUntilPicked, tableLocator } from '../../../n8n/lists/tablePickers';
import { dryRunOption, maximumRecordsParameter } from '../../../n8n/operation/bulkChange';
import { type Item, attachOldRecords } from '../../../n8n/operation/item';
import { type Operation, type Output, toOutputs } from '../../../n8n/operation/operation';
import { createChangeConverter } from '../../../n8n/operation/recordOutput';
import { createOptions, defineParameter } from '../../../n8n/parameters/parameter';
import { addConnectedTexts, getKind, selectBatchRecords, sendBatchUpdate, Table } from '../../../records';
import { InputError } from '../../../service';

/** @throws InputError for a file or a part of a field: batch updates take neither (spec: Batch-update request) */
function ensureBatchWritable(key: string, table: Table): void {
  const { field, part } = table.requireWritableRef(key, 'Fields');
  if (!getKind(field).holdsFiles && !part) return;
  const name = part ? `${field.name}: ${part.label}` : field.name;
  throw new InputError(
    `"${name}" cannot be set for many records at once`,
    'Nothing was sent: the batch update of the service takes no files and no parts of a field. Use Update for each record.',
  );
}

/** `checkedWrite`: the response lacks the connected records, so they are looked up before the write. */
const createItemValues = (item: Item, table: Table): ItemValues =>
  new ItemValues(item, table, { needsValue: 'change', use: 'checkedWrite' });

const returnOldRecordsOption = defineParameter({
  displayName: 'Return Old Records',
  name: 'returnOldRecords',
  type: 'boolean',
  default: true,
  description:
    'Whether to return each record with its new values, and with the old ones of the changed fields under "_before": the operation Undo takes these items',
});

/** Returns the records as Get Many does, each with the old values of its changed fields. */
async function toChangeOutputs(
  item: Item,
  table: Table,
  { changes }: Pick<Awaited<ReturnType<typeof sendBatchUpdate>>, 'changes'>,
): Promise<Output[]> {
  const records = await addConnectedTexts(
    item.client,
    table,
    changes.map(({ record }) => record),
  );
  const toJson = createChangeConverter(item, table);
  return changes.map((change, index) => ({ json: toJson(change.action, records[index]!, change) }));
}

export const batchUpdate: Operation = {
  name: 'batchUpdate',
  displayName: 'Batch Update',
  action: 'Batch update records',
  description: 'Give all records that meet the conditions the same values at once, up to a maximum',
  writes: true,
  parameters: [
    tableLocator,
    ...hideUntilPicked('dataTableId', [maximumRecordsParameter, ...requiredFilterForm]),
    ...createColumnForm('update'),
    createOptions(
      dryRunOption,
      returnOldRecordsOption,
      clearColumnsOption,
      ...valueOptions,
      filterParametersOption,
    ),
  ],
  // If two batches match a record, it must keep the values of the later item.
  serialKey: (item) => item.read(tableLocator),
  async check(item) {
    const table = await item.getTable(item.read(tableLocator));
    for (const [key] of createItemValues(item, table).check()) ensureBatchWritable(key, table);
  },
  async run(item) {
    const table = await item.getTable(item.read(tableLocator), { isFresh: true });
    const values = createItemValues(item, table);
    const { preview, complete } = await values.prepareEntries();
    for (const [key] of preview) ensureBatchWritable(key, table);
    const maximum = item.read(maximumRecordsParameter);
    const isDry = item.readOption(dryRunOption);
    const returnsOld = item.readOption(returnOldRecordsOption) === true;
    const batch = await selectItemRecords(item, table, maximum, selectBatchRecords);
    const total = batch.records.length;
    if (isDry) return toOutputs({ dryRun: true, total });
    // Each input value that cannot be written gets a hint: a batch does not check whether a record already has it.
    values.addLostInputHints([]);
    if (total === 0) return returnsOld ? [] : toOutputs({ total, msg: 'No record meets the conditions' });
    const sent = await sendBatchUpdate(item.client, batch, await complete());
    if (sent.error === undefined && !returnsOld) return toOutputs(sent.response);
    const outputs = await toChangeOutputs(item, table, sent);
    if (sent.error === undefined) return outputs;
    throw attachOldRecords(
      sent.error,
      outputs.map(({ json }) => json),
    );
  },
};
