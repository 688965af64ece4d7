import { chain, node, startEngine, type Engine, type NodeJson, type Run } from '../harness';
import { startService, type Service, type ServiceOptions, type Table } from '../service';

export const TYPE = 'n8n-nodes-record-database.recordDatabase';
export const START = node('Start', 'n8n-nodes-base.manualTrigger');

/** n8n's resource locator, as the editor saves it. */
export const byId = (value: string) => ({ __rl: true, mode: 'id', value });

/** n8n's column mapper, mapped by hand. */
export const columns = (value: object, matchingColumns: string[] = []) => ({
  mappingMode: 'defineBelow',
  value,
  matchingColumns,
});

export const AUTO_MAP = { mappingMode: 'autoMapInputData', value: null, matchingColumns: [] as string[] };

/** A service and an engine with a credential for it, as a workflow's user has them. */
export class World {
  private constructor(
    readonly service: Service,
    readonly engine: Engine,
  ) {}

  static async start(options: Partial<ServiceOptions> = {}, engineOptions = {}): Promise<World> {
    const service = await startService({ perMinute: 100_000, perDay: 10_000_000, ...options });
    const engine = await startEngine(engineOptions);
    await engine.setCredential('recordDatabaseApi', { baseUrl: service.baseUrl, ...service.keys });
    return new World(service, engine);
  }

  table(name: string): Table {
    const table = this.service.table(name);
    if (!table) throw new Error(`The sample data has no table ${name}`);
    return table;
  }

  /** Runs one record operation on the items of `input` (one empty item by default). */
  async records(
    operation: string,
    table: Table,
    parameters: object = {},
    input?: object[],
    extra: Partial<NodeJson> = {},
  ) {
    const json = { resource: 'record', operation, dataTableId: byId(table.id), ...parameters };
    return this.run(await this.asSaved(json), input, extra);
  }

  /** With the columns' schema that the editor saves beside the values: n8n checks and converts by it. */
  private async asSaved(parameters: { dataTableId: object; columns?: object }): Promise<object> {
    if (!('mappingMode' in (parameters.columns ?? {}))) return parameters;
    const form = node('Node', TYPE, { ...parameters, columns: { mappingMode: 'defineBelow', value: null } });
    const { fields: schema } = await this.engine.resourceMapperFields(form, 'getColumns');
    return { ...parameters, columns: { ...parameters.columns, schema } };
  }

  async run(parameters: object, input?: object[], extra: Partial<NodeJson> = {}): Promise<Run> {
    return this.engine.run(chain(START, node('Node', TYPE, parameters, extra)), {
      ...(input && {
        input: input.map((json) => ('json' in json ? (json as { json: object }) : { json })) as never,
      }),
    });
  }

  /** Requests seen since, as `METHOD /pattern`. */
  seen(since = 0): string[] {
    return this.service.requests
      .slice(since)
      .map(({ pattern, method, path }) => pattern ?? `${method} ${path}`);
  }

  /** What the service holds against us since the last look: anything the spec does not document. */
  violations(): string[] {
    return this.service.violations.splice(0).map(({ message }) => message);
  }

  async stop(): Promise<void> {
    await this.engine.stop();
    await this.service.stop();
  }
}

/** Waits for what is bound to happen. When it does not, the limit of the test ends the wait. */
export async function until(happened: () => boolean): Promise<void> {
  while (!happened()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Outputs of the node under test. @throws when the run failed */
export function outputOf(run: Run) {
  if (run.error)
    throw new Error(`${run.error.message} | ${String((run.error as { description?: string }).description)}`);
  return run.jsonOf('Node');
}
