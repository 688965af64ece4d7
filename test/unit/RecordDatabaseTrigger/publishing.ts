import { readIdentityAndData } from '../../../nodes/RecordDatabaseTrigger/authenticate';
import { handleDelivery } from '../../../nodes/RecordDatabaseTrigger/handleDelivery';
import { webhookMethods } from '../../../nodes/RecordDatabaseTrigger/webhookMethods';
import { clearMemories, parseCredential } from '../../../nodes/service';
import { type Service, type Table, startService } from '../../service';
import { TriggerContext, type WebhookAnswer } from '../../support/triggerContext';

const { checkExists, create, delete: remove } = webhookMethods.default;

/** A service with two tables for each test of a file: tasks, and people who own them. */
export function useTasks() {
  const env = {} as { service: Service; tasks: Table; people: Table };
  beforeEach(async () => {
    clearMemories();
    const service = await startService({ sample: 'empty', perMinute: 1e6, perDay: 1e7 });
    const people = service.addTable({ name: 'People', fields: [{ name: 'Full', type: 'Text' }] });
    const tasks = service.addTable({
      name: 'Tasks',
      fields: [
        { name: 'Title', type: 'Text' },
        { name: 'Due', type: 'Date-Time' },
        { name: 'Owner', type: 'Connection', to: 'People', many: false },
      ],
    });
    Object.assign(env, { service, tasks, people });
  });
  afterEach(async () => {
    const violations = env.service.violations.map(({ message }) => message);
    await env.service.stop();
    expect(violations).toEqual([]);
  });
  return env;
}

/** The trigger in one n8n, over HTTP against the embedded service. */
export class PublishedTrigger extends TriggerContext {
  constructor(
    readonly service: Service,
    parameters: Record<string, unknown> = {},
  ) {
    // Most tests deliver records that the service does not have.
    const options = { fullRecord: false, ...(parameters.options as object) };
    super(service, { events: ['UPDATE'], output: 'event', ...parameters, options });
  }

  publish = (): Promise<boolean> => create.call(this.context);
  unpublish = (): Promise<boolean> => remove.call(this.context);
  checkExists = (): Promise<boolean> => checkExists.call(this.context);

  /** The token of a subscription to UPDATE, as this n8n would compute it. */
  computeToken(tableId: string): string {
    const credential = parseCredential(this.credential as Record<string, unknown>);
    return readIdentityAndData(this.context, credential).identity.computeToken(tableId, 'UPDATE');
  }

  /** Delivers an update with the token of the trigger. Items of runs that it starts are in `items`. */
  async deliver(
    tableId: string,
    record: object,
    { token = this.computeToken(tableId), ...more }: { token?: string | null; timestamp?: string } = {},
  ): Promise<WebhookAnswer & { items: object[]; noWebhookResponse?: boolean }> {
    const body = { event_type: 'UPDATE', table_id: tableId, table_name: 'Tasks', record, ...more };
    this.request = {
      ...this.request,
      query: token === null ? {} : { token },
      body: { timestamp: '2026-06-01T00:00:00Z', ...body },
    };
    this.answer = {};
    const { context, answer } = this;
    const { workflowData = [], noWebhookResponse } = await handleDelivery(context);
    return { ...answer, noWebhookResponse, items: workflowData.flat().map(({ json }) => json) };
  }
}
