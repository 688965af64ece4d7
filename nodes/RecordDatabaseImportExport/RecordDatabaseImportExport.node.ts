import { createActionNode } from '../n8n/actionNode';
import type { Resource } from '../n8n/operation/operation';
import { exportResource } from './resources/export';
import { importResource } from './resources/import';

export const resources: Resource[] = [importResource, exportResource];

export class RecordDatabaseImportExport extends createActionNode({
  name: 'recordDatabaseImportExport',
  displayName: 'Record Database Import/Export',
  description: 'Import files into the Record Database Service, and export records as files',
  resources,
}) {}
