import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import type { Table } from '../../model/records/table';
import type { Client } from '../../transport/client';
import { getTable, invalidateStaleTable } from '../../transport/schema';
import { resolveTableId } from '../agent/tableNames';
import { ParameterReader } from './parameters/parameterReader';

/** Name of the parameter in which a table can be given by name. */
const TABLE_PARAMETER = 'dataTableId';

/** Replaces the name of a table by its ID if the execution accepts table names. @throws InputError */
const resolveTable = (client: Client, value: unknown): unknown =>
  typeof value === 'object' ? value : resolveTableId(client, String(value ?? '').trim());

/** One input item and what an operation needs to run it: its parameters, the client and the fields of the table. */
export class Item extends ParameterReader {
  /** What the item has changed besides its own record, as sentences for its error. */
  readonly effects: string[] = [];

  constructor(
    readonly context: IExecuteFunctions,
    readonly client: Client,
    readonly index: number,
    readonly input: INodeExecutionData,
  ) {
    super(
      () => context.getNode(),
      ({ name, type, default: fallback }) => {
        const isLocator = type === 'resourceLocator';
        const value = context.getNodeParameter(name, index, fallback, { extractValue: isLocator });
        return name === TABLE_PARAMETER && isLocator ? resolveTable(client, value) : value;
      },
    );
  }

  /** Whether the item has made or started something that a second run would make again. */
  hasStarted = false;

  /** The signal that n8n aborts when the execution is cancelled. */
  get cancelSignal(): AbortSignal | undefined {
    return this.context.getExecutionCancelSignal();
  }

  /** Records a change outside the item's own record. If the item fails, its error lists these changes. */
  noteEffect(text: string): void {
    this.effects.push(text);
  }

  /** The IANA name of the workflow's time zone. */
  get timeZone(): string {
    return this.context.getTimezone();
  }

  /** Returns a table with its fields. Items that request a table at the same time share one request. */
  getTable(tableId: string): Promise<Table> {
    return getTable(this.client, tableId);
  }

  /** Returns a table whose fields were read since this execution started. Operations that change many records use it. */
  async getFreshTable(tableId: string): Promise<Table> {
    const table = await this.getTable(tableId);
    return invalidateStaleTable(this.client, table) ? this.getTable(tableId) : table;
  }
}

/**
 * The input items of a run, at least one. Each access creates a new `Item`, because an item keeps what it has read,
 * and 100,000 of them would take more memory than their data.
 */
export class Items {
  constructor(
    private readonly context: IExecuteFunctions,
    private readonly client: Client,
    private readonly inputs: INodeExecutionData[],
  ) {}

  get length(): number {
    return this.inputs.length;
  }

  /** Whether n8n gives the node only the first of its input items, because of its setting Execute Once. */
  get isExecuteOnce(): boolean {
    return this.context.getNode().executeOnce === true;
  }

  get(index: number): Item {
    return new Item(this.context, this.client, index, this.inputs[index] ?? { json: {} });
  }

  *[Symbol.iterator](): Generator<Item> {
    for (let index = 0; index < this.length; index++) yield this.get(index);
  }
}
