import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { InputError, shown } from '../model/inputError';
import { flagOf } from '../model/flag';
import { labelOf } from '../model/label';
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
      throw new InputError(
        `${labelOf(name)} cannot be ${shown(value)}`,
        'Give text. An expression here may have found an object.',
      );
    }
    return String(value ?? '').trim();
  }

  /** A whole number of at least 1. @throws InputError */
  count(name: string, fallback: number): number {
    const given = this.value<unknown>(name, fallback);
    const number = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
    if (typeof number === 'number' && Number.isInteger(number) && number >= 1) return number;
    throw new InputError(
      `${labelOf(name)} cannot be ${shown(given)}`,
      'Give a whole number from 1 on. An expression here may have found nothing.',
    );
  }

  /** A switch, off where it is not shown. @throws InputError */
  flag(name: string): boolean {
    return flagOf(this.value<unknown>(name, false), labelOf(name));
  }

  /** A switch among the options; undefined where it was not added. @throws InputError */
  option(name: string): boolean | undefined {
    return name in this.options ? flagOf(this.options[name], labelOf(name)) : undefined;
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
