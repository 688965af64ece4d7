import type { Operation } from '../../../../shared/kit/operation/operation';
import { recordLocator } from '../../../../shared/kit/pickers/recordPicker';
import { tableLocator } from '../../../../shared/kit/pickers/tablePickers';
import { simplifyRecords } from '../../../../shared/kit/records/simplifyRecords';
import { recordEndpoints } from '../../../../shared/model/endpoints/records';
import { tableEndpoints } from '../../../../shared/model/endpoints/tables';
import { recordOutput } from '../../../../shared/model/outputs/records';
import { readColumnQuery } from './columns';
import { createReadOptions, shapeRecords } from './shapeRecords';

export const get: Operation = {
  name: 'get',
  displayName: 'Get',
  action: 'Get record',
  description: 'Get one record by its ID',
  output: recordOutput,
  endpoints: [recordEndpoints.get, tableEndpoints.listFullFields],
  parameters: [tableLocator, recordLocator, simplifyRecords, createReadOptions()],
  async run(item, mode) {
    const path = { dataTableId: item.read(tableLocator), recordId: item.read(recordLocator) };
    const { body } = await item.client.call(recordEndpoints.get, {
      path,
      query: await readColumnQuery(item),
    });
    // When columns are selected, the service may leave out the ID.
    return shapeRecords(item, [{ id: path.recordId, ...body.item }], mode);
  },
};
