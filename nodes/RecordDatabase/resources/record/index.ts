import type { Resource } from '../../../shared/kit/operation';
import { batchUpdate, batchUpdateCheck } from './batchUpdate';
import { create } from './create';
import { count, getAll } from './getAll';
import { search } from './search';
import { deleteRecord, get } from './single';
import { update } from './update';
import { upsert } from './upsert';

export const record: Resource = {
  name: 'record',
  displayName: 'Record',
  operations: [
    batchUpdate,
    batchUpdateCheck,
    count,
    create,
    upsert,
    deleteRecord,
    get,
    getAll,
    search,
    update,
  ],
};
