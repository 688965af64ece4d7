import type { Resource } from '../../shared/kit/operation/operation';
import { log } from './log';

export const resources: Resource[] = [log];
