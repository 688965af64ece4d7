import type { Resource } from '../../n8n/operation/operation';
import { automation } from './automation';
import { task } from './task';

export const resources: Resource[] = [task, automation];
