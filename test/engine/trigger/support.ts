import type { RecordEvent } from '../../../nodes/RecordDatabaseTrigger/staticData';
import { chainNodes, createNode } from '../../harness/workflowBuilder';
import type { NodeJson, WorkflowJson } from '../../harness/workflows';
import { TestEnvironment } from '../support/testEnvironment';

export const TRIGGER = 'n8n-nodes-record-database.recordDatabaseTrigger';
export const ALL_EVENTS: RecordEvent[] = ['INSERT', 'UPDATE', 'DELETE'];

/** A workflow of the trigger alone, on tables given by name. */
export const createTriggerWorkflow = (
  env: TestEnvironment,
  tables: string[],
  events: RecordEvent[] = ALL_EVENTS,
  parameters: object = {},
  extra: Partial<NodeJson> = {},
): WorkflowJson =>
  chainNodes(
    createNode(
      'Trigger',
      TRIGGER,
      { tables: tables.map((name) => env.getTable(name).id), events, ...parameters },
      { webhookId: 'w1', ...extra },
    ),
  );

/** `TYPE Table` of everything subscribed, sorted. */
export const listSubscriptions = ({ service }: TestEnvironment): string[] =>
  service.subscriptions.map((one) => `${one.type} ${service.getTable(one.data_table_id).name}`).sort();
