import type { Resource } from '../../n8n/operation/operation';
import { automation, task } from './executions';

export const resources: Resource[] = [task, automation];
