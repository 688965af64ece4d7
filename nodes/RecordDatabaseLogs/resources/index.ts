/** `resources` lists the resources of the node Record Database Logs, in the order of its form. */
import type { Resource } from '../../n8n/operation/operation';
import { log } from './log';

export const resources: Resource[] = [log];
