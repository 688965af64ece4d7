import { createActionNode } from '../n8n/actionNode';
import type { Resource } from '../n8n/operation/operation';
import { role } from './resources/role';
import { session } from './resources/session';

export const resources: Resource[] = [session, role];

export class RecordDatabaseUsers extends createActionNode({
  name: 'recordDatabaseUsers',
  displayName: 'Record Database Users',
  description: 'Log users of the Record Database Service in and out, and list roles',
  resources,
  preferredOperation: 'login',
  // The secrets in the answers of Log In, Auto-Login and Create Magic Link.
  sensitiveOutputFields: ['token', 'magicLinkUrl'],
}) {}
