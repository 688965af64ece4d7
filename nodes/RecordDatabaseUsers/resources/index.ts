import type { Resource } from '../../shared/kit/operation/operation';
import { role } from './role';
import { session } from './session';

export const resources: Resource[] = [session, role];
