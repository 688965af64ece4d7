/** `resources` lists the resources of the node Record Database Users, in the order of its form. */
import type { Resource } from '../../n8n/operation/operation';
import { role } from './role';
import { session } from './session';

export const resources: Resource[] = [session, role];
