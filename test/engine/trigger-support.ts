import { chain, node, type NodeJson, type WorkflowJson } from '../harness';
import type { RecordEvent } from '../../nodes/shared/model/subscription';
import { World } from './support';

export const TRIGGER = 'n8n-nodes-record-database.recordDatabaseTrigger';
export const ALL_EVENTS: RecordEvent[] = ['INSERT', 'UPDATE', 'DELETE'];

/** A workflow of the trigger alone, on tables given by name. */
export const listening = (
  world: World,
  tables: string[],
  events: RecordEvent[] = ALL_EVENTS,
  parameters: object = {},
  extra: Partial<NodeJson> = {},
): WorkflowJson =>
  chain(
    node(
      'Trigger',
      TRIGGER,
      { tables: tables.map((name) => world.table(name).id), events, ...parameters },
      { webhookId: 'w1', ...extra },
    ),
  );

/** `TYPE Table` of everything subscribed, sorted. */
export const subscribed = ({ service }: World): string[] =>
  service.subscriptions.map((one) => `${one.type} ${service.table(one.data_table_id).name}`).sort();
