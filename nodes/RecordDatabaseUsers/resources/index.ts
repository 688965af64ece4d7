import type { Resource } from '../../n8n/operation/operation';
import { role } from './role';
import { session } from './session';

export const resources: Resource[] = [session, role];
