import type { Resource } from '../../../shared/kit/operation';
import { getAll } from './getAll';
import { create, deleteRecord, get, update } from './single';

export const record: Resource = {
  name: 'record',
  displayName: 'Record',
  operations: [create, get, getAll, update, deleteRecord],
};
