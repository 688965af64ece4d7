import { get } from 'lodash';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { InputError, shown } from '../model/inputError';
import { flagOf } from '../model/flag';
import { labelOf } from '../model/label';
import { namesOrAll } from '../model/list';
import { oneOf } from '../model/oneOf';
import type { Table } from '../model/table';
import type { Client } from '../transport/client';
import { tableFields } from '../transport/schema';

/** @throws InputError for an object: as text it would be `[object Object]` */
function textOf(value: unknown, name: string): string {
  if (typeof value !== 'object' || value === null) return String(value ?? '').trim();
  throw new InputError(
    `${labelOf(name)} cannot be ${shown(value)}`,
    'Give text. An expression here may have found an object.',
  );
}

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
    return textOf(this.context.getNodeParameter(name, this.index, '', { extractValue: true }), name);
  }

  /**
   * The id or text in an optional field, '' where it was left empty; an option's name is `options.<name>`.
   * @throws InputError where an expression found nothing
   */
  optional(name: string, label = labelOf(name)): string {
    const id = this.id(name);
    if (id !== '' || !this.isExpression(name)) return id;
    throw new InputError(
      `${label}: the expression has found nothing`,
      'Nothing was sent. Give a value, or leave the field empty without an expression.',
    );
  }

  /** Names or ids of a multi-select, of which none means all. @throws InputError where an expression found nothing */
  names(name: string): string[] {
    return namesOrAll(this.value<unknown>(name, []), labelOf(name));
  }

  text(name: string): string {
    return textOf(this.value<unknown>(name, ''), name);
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

  /** One of the values of an option, the first where it was not added. @throws InputError */
  choice<T extends string>(name: string, values: readonly [T, ...T[]], label: string): T {
    return name in this.options ? oneOf(values, this.options[name], label) : values[0];
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

  private isExpression(name: string): boolean {
    const given: unknown = get(this.context.getNode().parameters, name);
    const text = typeof given === 'object' && given !== null && 'value' in given ? given.value : given;
    return typeof text === 'string' && text.startsWith('=');
  }
}
