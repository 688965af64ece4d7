import { createActionNode } from '../n8n/actionNode';
import type { Resource } from '../n8n/operation/operation';
import { component } from './resources/component';
import { layout, page } from './resources/page';

export const resources: Resource[] = [page, component, layout];

export class RecordDatabasePages extends createActionNode({
  name: 'recordDatabasePages',
  displayName: 'Record Database Pages',
  description: 'Read pages and components of the Record Database Service, and save records through them',
  resources,
}) {}
