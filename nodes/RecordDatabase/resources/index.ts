/** `resources` lists the resources of the node Record Database, in the order of its form. */
import type { Resource } from '../../n8n/operation/operation';
import { apiKey } from './apiKey';
import { formula } from './formula';
import { record } from './record';
import { dataTable, field } from './table';
import { webhook } from './webhook';

export const resources: Resource[] = [record, dataTable, field, formula, webhook, apiKey];
