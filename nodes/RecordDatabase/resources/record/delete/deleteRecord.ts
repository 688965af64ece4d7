import type { Operation } from '../../../../shared/kit/operation/operation';
import { recordLocator } from '../../../../shared/kit/pickers/recordPicker';
import { tableLocator } from '../../../../shared/kit/pickers/tablePickers';
import { recordEndpoints } from '../../../../shared/model/endpoints/records';
import { deletedOutput } from '../../../../shared/model/outputs/records';
import { sendDelete } from './sendDelete';

export const deleteRecord: Operation = {
  name: 'delete',
  displayName: 'Delete',
  action: 'Delete record',
  description: 'Permanently delete a record',
  output: deletedOutput,
  endpoints: [recordEndpoints.delete, recordEndpoints.get],
  parameters: [tableLocator, recordLocator],
  serialKey: (item) => `${item.read(tableLocator)}/${item.read(recordLocator)}`,
  async run(item) {
    const recordId = item.read(recordLocator);
    await sendDelete(item.client, { dataTableId: item.read(tableLocator), recordId });
    return [{ json: { deleted: true, id: recordId } }];
  },
};
