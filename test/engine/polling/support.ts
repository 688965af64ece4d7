import { chainNodes, createNode, type NodeJson, type WorkflowJson } from '../../harness';
import type { ActiveTrigger } from '../../harness/webhooks/activeTrigger';
import type { Table } from '../../service';
import { TestEnvironment, toLocator } from '../support/testEnvironment';

export const POLLING_TRIGGER = 'n8n-nodes-record-database.recordDatabasePollingTrigger';

/** n8n adds this parameter to each polling node. */
const EVERY_HOUR = { item: [{ mode: 'everyHour', minute: 0 }] };

/** A workflow of the polling trigger alone. */
export const createPollingWorkflow = (parameters: object, extra: Partial<NodeJson> = {}): WorkflowJson =>
  chainNodes(createNode('Poll', POLLING_TRIGGER, { pollTimes: EVERY_HOUR, ...parameters }, extra));

/** A workflow that watches the records of a table. */
export const createRecordWorkflow = (table: Table, parameters: object): WorkflowJson =>
  createPollingWorkflow({ dataTableId: toLocator(table.id), ...parameters });

/** The service's clock in the tests of polling. It begins a day ago, so that no date is in the future. */
export class TestClock {
  private time = Date.now() - 86_400_000;

  now(): number {
    return this.time;
  }

  advance(seconds: number): void {
    this.time += seconds * 1000;
  }

  /** The time in the service's format. */
  format(secondsAgo = 0): string {
    return new Date(this.time - secondsAgo * 1000).toISOString().slice(0, 19).replace('T', ' ');
  }
}

/** A table with a field that holds the time of the last change. */
export const addTasksTable = ({ service }: TestEnvironment, name = 'Tasks'): Table =>
  service.addTable({
    name,
    fields: [
      { name: 'Title', type: 'Text' },
      { name: 'Stage', type: 'Text' },
      { name: 'Changed At', type: 'Date-Time' },
    ],
  });

/** Polls once and returns the items that started an execution; undefined if none did. */
export async function pollOnce(trigger: ActiveTrigger): Promise<Array<Record<string, unknown>> | undefined> {
  const before = (await trigger.waitUntilIdle()).length;
  await trigger.poll();
  await trigger.waitUntilIdle();
  const runs = trigger.executions.slice(before);
  for (const { error } of runs) if (error) throw new Error(error.message);
  return runs[0]?.getJson('Poll');
}
