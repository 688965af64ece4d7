import type { Resource } from '../../shared/kit/operation/operation';
import { automation } from './automation';
import { task } from './task';

export const resources: Resource[] = [task, automation];
