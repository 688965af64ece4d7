import type { Resource } from '../../../shared/kit/operation/operation';
import { deleteMany } from './delete/deleteMany';
import { deleteRecord } from './delete/deleteRecord';
import { get } from './read/get';
import { count, getAll } from './read/getAll';
import { search } from './read/search';
import { sync } from './sync/sync';
import { upsert } from './upsert/upsert';
import { batchUpdate } from './write/batchUpdate';
import { batchUpdateCheck } from './write/batchUpdateCheck';
import { create } from './write/create';
import { update } from './write/update';

export const record: Resource = {
  name: 'record',
  displayName: 'Record',
  operations: [
    getAll,
    get,
    create,
    upsert,
    update,
    deleteRecord,
    batchUpdate,
    sync,
    deleteMany,
    count,
    search,
    batchUpdateCheck,
  ],
};
