import { createActionNode } from '../n8n/actionNode';
import type { Resource } from '../n8n/operation/operation';
import { log } from './resources/log';

export const resources: Resource[] = [log];

export class RecordDatabaseLogs extends createActionNode({
  name: 'recordDatabaseLogs',
  displayName: 'Record Database Logs',
  description: 'Read logins, page views, e-mails and other logs of the Record Database Service',
  resources,
}) {}
