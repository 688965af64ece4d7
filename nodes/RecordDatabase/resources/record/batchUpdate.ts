import type { IDataObject } from 'n8n-workflow';
import { columnMapper } from '../../../shared/kit/columnMapper';
import type { Item } from '../../../shared/kit/item';
import { outputs, type Operation } from '../../../shared/kit/operation';
import { tableLocator } from '../../../shared/kit/pickers';
import type { SymbolicItem } from '../../../shared/model/filter';
import { InputError } from '../../../shared/model/inputError';
import { countIn } from '../../../shared/model/responses';
import type { Table } from '../../../shared/model/table';
import { ApiFailure } from '../../../shared/transport/errors';
import { endpoints } from './endpoints';
import { symbolicForm, symbolicOf } from './symbolicForm';
import { clearColumns, entriesOf, valuesOf } from '../../../shared/kit/givenValues';

/** @throws InputError for an empty list: it would reach every record of the table */
function conditionsOf(item: Item, table: Table): SymbolicItem[] {
  const conditions = symbolicOf(item, table);
  if (conditions.length > 0) return conditions;
  throw new InputError(
    'There is no condition: every record of the table would be changed',
    'Add at least one condition. To change all records, use one that all meet, such as "Created At" is not blank.',
  );
}

interface Checked {
  total: number;
  body: IDataObject;
}

/** How many records the conditions reach (spec: batch-update-check). */
async function check(item: Item, table: Table, items: SymbolicItem[]): Promise<Checked> {
  const { body } = await item.client.call(endpoints.batchUpdateCheck, {
    path: { dataTableId: table.id },
    body: { filters: { items } } as unknown as IDataObject,
  });
  const total = countIn((body as IDataObject).total);
  if (total !== undefined) return { total, body: body as IDataObject };
  throw new ApiFailure({
    message: 'The service did not say how many records would be changed',
    description: 'Nothing was changed. Try again later.',
  });
}

async function batchValues(item: Item, table: Table): Promise<IDataObject[]> {
  const entries = entriesOf(item, table, await valuesOf(item, table));
  const file = entries.find(([key]) => table.payloadSlot(key, 'Columns').field.kind === 'file');
  if (file)
    throw new InputError(
      `"${file[0]}" is a file, and cannot be set for many records at once`,
      'Use Update for each record.',
    );
  if (entries.length === 0)
    throw new InputError(
      'Nothing to change: no column has a value',
      'Add at least one column under "Columns".',
    );
  return entries.map(([field_id, value]) => ({ field_id, value, val_type: 'normal' }) as IDataObject);
}

export const batchUpdateCheck: Operation = {
  name: 'batchUpdateCheck',
  displayName: 'Check Batch Update',
  action: 'Check a batch update',
  description: 'Count the records that a batch update would change, and change nothing',
  endpoints: [endpoints.batchUpdateCheck],
  parameters: [tableLocator, ...symbolicForm],
  async run(item) {
    const table = await item.table(item.id('dataTableId'));
    return outputs((await check(item, table, conditionsOf(item, table))).body);
  },
};

export const batchUpdate: Operation = {
  name: 'batchUpdate',
  displayName: 'Batch Update',
  action: 'Update many records at once',
  description: 'Count the records that meet the conditions, then give them all the same values at once',
  endpoints: [endpoints.batchUpdateCheck, endpoints.batchUpdate],
  parameters: [
    tableLocator,
    ...symbolicForm,
    columnMapper('update'),
    {
      displayName: 'Maximum Records',
      name: 'maximum',
      type: 'number',
      typeOptions: { minValue: 1 },
      default: 100,
      description: 'Nothing is changed when the conditions reach more records than this',
    },
    {
      displayName: 'Options',
      name: 'options',
      type: 'collection',
      placeholder: 'Add Option',
      default: {},
      options: [
        clearColumns,
        {
          displayName: 'Dry Run',
          name: 'dryRun',
          type: 'boolean',
          default: true,
          description: 'Whether to only tell how many records would be changed',
        },
      ],
    },
  ],
  // Two batches on one table in the order of the items: the later one must win where both reach.
  serialKey: (item) => item.id('dataTableId'),
  async run(item) {
    const table = await item.table(item.id('dataTableId'));
    const items = conditionsOf(item, table);
    const values = await batchValues(item, table);
    const maximum = item.count('maximum', 100);
    const isDry = item.option('dryRun');
    const { total } = await check(item, table, items);
    if (total > maximum) {
      throw new InputError(
        `The conditions reach ${total} records, more than Maximum Records (${maximum})`,
        'Nothing was changed. Add conditions, or raise the maximum.',
      );
    }
    if (isDry) return outputs({ dryRun: true, total });
    if (total === 0) return outputs({ total, msg: 'No record meets the conditions' });
    const { body } = await item.client.call(endpoints.batchUpdate, {
      path: { dataTableId: table.id },
      body: { conditions: [{ items }], values } as unknown as IDataObject,
    });
    return outputs(body);
  },
};
