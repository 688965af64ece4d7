import type { Resource } from '../../n8n/operation/operation';
import { log } from './log';

export const resources: Resource[] = [log];
