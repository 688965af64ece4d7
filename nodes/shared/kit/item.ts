import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { InputError } from '../model/inputError';
import type { Table } from '../model/table';
import type { Client } from '../transport/client';
import { tableFields } from '../transport/schema';

/** One input item with what an operation needs: its parameters, the client, the table's fields. */
export class Item {
  constructor(
    readonly context: IExecuteFunctions,
    readonly client: Client,
    readonly index: number,
    readonly input: INodeExecutionData,
  ) {}

  /** A parameter as the user gave it; `fallback` where it is not shown. */
  value<T = unknown>(name: string, fallback?: T): T {
    return this.context.getNodeParameter(name, this.index, fallback) as T;
  }

  /** The id in a resource locator, or in a plain field. Empty ids are refused when the path is built. */
  id(name: string): string {
    return String(this.context.getNodeParameter(name, this.index, '', { extractValue: true }) ?? '').trim();
  }

  text(name: string): string {
    const value = this.value<unknown>(name, '');
    if (typeof value === 'object' && value !== null) {
      throw new InputError(`"${name}" must be text`, `It was given ${JSON.stringify(value).slice(0, 80)}.`);
    }
    return String(value ?? '').trim();
  }

  /** The "Options" collection. */
  get options(): IDataObject {
    return this.value<IDataObject>('options', {});
  }

  /** IANA name of the workflow's time zone. */
  get timeZone(): string {
    return this.context.getTimezone();
  }

  /** The fields of a table; fetched once for all items that ask at the same time. */
  table(tableId: string): Promise<Table> {
    return tableFields(this.client, tableId);
  }
}
