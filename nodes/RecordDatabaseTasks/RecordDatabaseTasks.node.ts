import { createActionNode } from '../n8n/actionNode';
import type { Resource } from '../n8n/operation/operation';
import { automation, task } from './resources/runs';

export const resources: Resource[] = [task, automation];

export class RecordDatabaseTasks extends createActionNode({
  name: 'recordDatabaseTasks',
  displayName: 'Record Database Tasks',
  description: 'Run, watch and stop tasks and automations of the Record Database Service',
  resources,
}) {}
