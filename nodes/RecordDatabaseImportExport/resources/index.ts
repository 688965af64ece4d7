/** `resources` lists the resources of the node Record Database Import/Export, in the order of its form. */
import type { Resource } from '../../n8n/operation/operation';
import { exportResource } from './export';
import { importResource } from './import';

export const resources: Resource[] = [importResource, exportResource];
