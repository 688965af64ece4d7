/** `resources` lists the resources of the node Record Database Tasks, in the order of its form. */
import type { Resource } from '../../n8n/operation/operation';
import { automation, task } from './runs';

export const resources: Resource[] = [task, automation];
