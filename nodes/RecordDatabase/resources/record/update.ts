import { bodyOf } from '../../../shared/kit/body';
import { columnMapper } from '../../../shared/kit/columnMapper';
import type { Item } from '../../../shared/kit/item';
import type { Operation } from '../../../shared/kit/operation';
import { recordId, tableLocator } from '../../../shared/kit/pickers';
import type { Entries } from '../../../shared/model/fields';
import { InputError } from '../../../shared/model/inputError';
import type { ServiceRecord } from '../../../shared/model/responses';
import type { Table } from '../../../shared/model/table';
import { recordIn } from './answer';
import { endpoints } from './endpoints';
import { formulaHeaders, formulaOptions } from './formulas';
import { unlistedOption, updateKeeping } from '../../../shared/kit/unlisted';
import { clearColumns, entriesOf, valuesOf } from '../../../shared/kit/givenValues';

/** Changes one record; `before` is the record where it was just read. @returns the answer's body */
export function updateRecord(
  item: Item,
  table: Table,
  id: string,
  entries: Entries,
  before?: ServiceRecord,
): Promise<unknown> {
  const send = async (all: Entries) => {
    const path = { dataTableId: table.id, recordId: id };
    return (
      await item.client.call(endpoints.update, { path, body: bodyOf(all), headers: formulaHeaders(item) })
    ).body;
  };
  return updateKeeping({ item, endpoint: endpoints.update, table, recordId: id, entries, send, before });
}

export const update: Operation = {
  name: 'update',
  displayName: 'Update',
  action: 'Update a record',
  description: 'Change values of a record; columns that are not given stay as they are',
  endpoints: [endpoints.update, endpoints.get],
  parameters: [
    tableLocator,
    recordId,
    columnMapper('update'),
    {
      displayName: 'Options',
      name: 'options',
      type: 'collection',
      placeholder: 'Add Option',
      default: {},
      options: [clearColumns, unlistedOption, ...formulaOptions],
    },
  ],
  // Writes to one record keep their order, whatever runs in parallel.
  serialKey: (item) => `${item.id('dataTableId')}/${item.id('recordId')}`,
  async run(item) {
    const table = await item.table(item.id('dataTableId'));
    const id = item.id('recordId');
    const entries = entriesOf(item, table, await valuesOf(item, table));
    if (entries.length === 0) {
      throw new InputError(
        'Nothing to update: no column has a value',
        'Add at least one column under "Columns".',
      );
    }
    return recordIn(await updateRecord(item, table, id, entries), { id });
  },
};
