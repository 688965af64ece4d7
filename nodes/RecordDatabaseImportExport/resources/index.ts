import type { Resource } from '../../shared/kit/operation/operation';
import { exportResource } from './export';
import { importResource } from './import';

export const resources: Resource[] = [importResource, exportResource];
