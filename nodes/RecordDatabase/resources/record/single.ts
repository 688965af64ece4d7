import type { Item } from '../../../shared/kit/item';
import type { Operation } from '../../../shared/kit/operation';
import { recordId, tableLocator } from '../../../shared/kit/pickers';
import { isDoneBefore } from '../../../shared/transport/errors';
import { endpoints } from './endpoints';
import { columnQuery } from './columns';
import { recordAnswerSchema } from '../../../shared/model/responses';
import { readOptions, shaped } from './shape';

const pathOf = (item: Item) => ({ dataTableId: item.id('dataTableId'), recordId: item.id('recordId') });

export const get: Operation = {
  name: 'get',
  displayName: 'Get',
  action: 'Get a record',
  description: 'Get one record by its ID',
  endpoints: [endpoints.get],
  parameters: [tableLocator, recordId, readOptions()],
  async run(item) {
    const { body } = await item.client.call(endpoints.get, {
      path: pathOf(item),
      query: await columnQuery(item),
    });
    const parsed = recordAnswerSchema.safeParse(body);
    return shaped(item, [parsed.success ? parsed.data.item : body]);
  },
};

export const deleteRecord: Operation = {
  name: 'delete',
  displayName: 'Delete',
  action: 'Delete a record',
  description: 'Delete a record for good',
  endpoints: [endpoints.delete],
  parameters: [tableLocator, recordId],
  serialKey: (item) => `${item.id('dataTableId')}/${item.id('recordId')}`,
  async run(item) {
    const path = pathOf(item);
    const result = await item.client.call(endpoints.delete, { path }).catch((error: unknown) => error);
    if (result instanceof Error && !isDoneBefore(result)) throw result;
    return [{ json: { deleted: true, id: path.recordId } }];
  },
};
