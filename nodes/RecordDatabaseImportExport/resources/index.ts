import type { Resource } from '../../n8n/operation/operation';
import { exportResource } from './export';
import { importResource } from './import';

export const resources: Resource[] = [importResource, exportResource];
