import { createActionNode } from '../n8n/actionNode';
import type { Resource } from '../n8n/operation/operation';
import { apiKey } from './resources/apiKey';
import { formula } from './resources/formula';
import { record } from './resources/record';
import { dataTable, field } from './resources/table';
import { webhook } from './resources/webhook';

export const resources: Resource[] = [record, dataTable, field, formula, webhook, apiKey];

export class RecordDatabase extends createActionNode({
  name: 'recordDatabase',
  displayName: 'Record Database',
  description: 'Read and change records of the Record Database Service',
  resources,
}) {}
