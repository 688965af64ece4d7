/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { chainNodes, createNode, type Engine, type NodeJson, type Run, startEngine } from '../../harness';
import { type Service, type ServiceOptions, startService, type Table } from '../../service';
import { listUndocumentedKeys } from './documentedKeys';

export const TYPE = 'n8n-nodes-record-database.recordDatabase';
export const START = createNode('Start', 'n8n-nodes-base.manualTrigger');

/** n8n's resource locator, as the editor saves it. */
export const toLocator = (value: string) => ({ __rl: true, mode: 'id', value });

/** n8n's column mapper, mapped by hand. */
export const toColumns = (value: object, matchingColumns: string[] = []) => ({
  mappingMode: 'defineBelow',
  value,
  matchingColumns,
});

export const AUTO_MAP = { mappingMode: 'autoMapInputData', value: null, matchingColumns: [] as string[] };

/** The embedded service, and an n8n engine with a credential for it. Both exist after the start. */
export class TestEnvironment {
  service!: Service;
  engine!: Engine;
  /** Number of requests whose keys were checked. */
  private checkedRequests = 0;

  static async start(options?: Partial<ServiceOptions>, engineOptions?: object): Promise<TestEnvironment> {
    const env = new TestEnvironment();
    await env.start(options, engineOptions);
    return env;
  }

  async start(options: Partial<ServiceOptions> = {}, engineOptions = {}): Promise<void> {
    this.service = await startService({ perMinute: 100_000, perDay: 10_000_000, ...options });
    this.checkedRequests = 0;
    this.engine = await startEngine(engineOptions);
    await this.setCredentialFields(this.serviceSettings);
  }

  private get serviceSettings(): object {
    return { serviceTimeZone: this.service.options.timeZone };
  }

  /** Replaces the credential by one with the keys of the service and these fields. */
  async setCredentialFields(fields: object): Promise<void> {
    // Files lie on another port of the host, as those of many services do.
    const keys = { baseUrl: this.service.baseUrl, ...this.service.keys };
    const settings = { advancedSettings: true, fileHosts: '127.0.0.1:*', ...this.serviceSettings };
    await this.engine.setCredential('recordDatabaseApi', { ...keys, ...settings, ...fields });
  }

  /** Runs `work` with other settings of the credential, such as `parallelRequests`. */
  async withSettings<T>(settings: object, work: () => Promise<T>): Promise<T> {
    await this.setCredentialFields({ ...this.serviceSettings, ...settings });
    try {
      return await work();
    } finally {
      await this.setCredentialFields(this.serviceSettings);
    }
  }

  getTable(name: string): Table {
    const table = this.service.getTable(name);
    if (!table) throw new Error(`The sample data has no table ${name}`);
    return table;
  }

  /** Runs one record operation on the items of `input` (one empty item by default). */
  async runRecordOperation(
    operation: string,
    table: Table,
    parameters: object = {},
    input?: object[],
    extra: Partial<NodeJson> = {},
  ) {
    const json = {
      resource: 'record',
      operation,
      dataTableId: toLocator(table.id),
      ...(operation === 'deleteMany' && { dryRun: false }),
      ...parameters,
    };
    return this.run(await this.withSchema(json), input, extra);
  }

  /** With the columns' schema that the editor saves beside the values: n8n checks and converts by it. */
  private async withSchema(parameters: { dataTableId: object; columns?: object }): Promise<object> {
    if (!('mappingMode' in (parameters.columns ?? {}))) return parameters;
    const form = createNode('Node', TYPE, {
      ...parameters,
      columns: { mappingMode: 'defineBelow', value: null },
    });
    const { fields: schema } = await this.engine.getResourceMapperFields(form, 'getColumns');
    return { ...parameters, columns: { ...parameters.columns, schema } };
  }

  async run(parameters: object, input?: object[], extra: Partial<NodeJson> = {}): Promise<Run> {
    return this.engine.run(chainNodes(START, createNode('Node', TYPE, parameters, extra)), {
      ...(input && {
        input: input.map((json) => ('json' in json ? (json as { json: object }) : { json })) as never,
      }),
    });
  }

  /** Requests seen since, as `METHOD /pattern`. */
  listRequests(since = 0): string[] {
    return this.service.requests
      .slice(since)
      .map(({ pattern, method, path }) => pattern ?? `${method} ${path}`);
  }

  /** Returns what the requests since the last call had that the spec does not document. */
  takeViolations(): string[] {
    const requests = this.service.requests.slice(this.checkedRequests);
    this.checkedRequests = this.service.requests.length;
    return [
      ...this.service.violations.splice(0).map(({ message }) => message),
      ...requests.flatMap(listUndocumentedKeys),
    ];
  }

  async stop(): Promise<void> {
    await this.engine.stop();
    await this.service.stop();
  }
}

/** Waits until the condition holds. @throws Error after a minute: the slower suites have no timeout that would end the wait */
export async function waitUntil(happened: () => boolean): Promise<void> {
  const startedAt = performance.now();
  while (!happened()) {
    if (performance.now() - startedAt > 60_000)
      throw new Error(`It has not happened: ${happened.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Outputs of the node under test. @throws when the run failed */
export function getOutput(run: Run) {
  if (run.error)
    throw new Error(`${run.error.message} | ${String((run.error as { description?: string }).description)}`);
  return run.getJson('Node');
}
