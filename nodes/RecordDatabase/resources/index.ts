import type { Resource } from '../../shared/kit/operation';
import { record } from './record';
import { dataTable, field } from './schema';

export const resources: Resource[] = [record, dataTable, field];
