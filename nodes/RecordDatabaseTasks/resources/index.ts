import type { Resource } from '../../n8n/operation/operation';
import { automation, task } from './runs';

export const resources: Resource[] = [task, automation];
