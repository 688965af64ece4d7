import type { Resource } from '../../../n8n/operation/operation';
import { batchUpdate } from './batchUpdate';
import { create } from './create';
import { deleteMany, deleteOne } from './delete';
import { lookUp } from './lookUp';
import { count, get, getAll } from './read';
import { sync } from './sync';
import { undo } from './undo';
import { update } from './update';
import { upsert } from './upsert';

export const record: Resource = {
  name: 'record',
  displayName: 'Record',
  operations: [
    getAll,
    get,
    create,
    upsert,
    lookUp,
    update,
    deleteOne,
    batchUpdate,
    sync,
    deleteMany,
    count,
    undo,
  ],
};
