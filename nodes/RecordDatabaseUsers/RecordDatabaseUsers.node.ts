import { createActionNode } from '../n8n/actionNode';
import { createListOperation, type Resource } from '../n8n/operation/operation';
import { tableEndpoints } from '../service';
import { session } from './resources/session';

/** Spec: Role. */
const role: Resource = {
  name: 'role',
  displayName: 'Role',
  operations: [
    createListOperation({
      action: 'Get many roles',
      description: 'Get the roles that users of the application can have',
      endpoint: tableEndpoints.listRoles,
    }),
  ],
};

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
