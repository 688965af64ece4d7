import type { ServiceOptions } from '../options';
import type { Ids } from '../state/random';
import { timestamp } from '../state/time';
import { blankOf, isBlank, makeField, type Field, type FieldDefinition } from './field';

/**
 * A record as it is kept: values by slug; a connection is a list of ids, a Name, Address or
 * Calendar an object of its parts.
 */
export interface StoredRecord {
  readonly id: string;
  readonly created_at: string;
  [slug: string]: unknown;
}

export type RecordEvent = 'INSERT' | 'UPDATE' | 'DELETE';

/** A table rule set in the builder (spec: Errors, rule 2): messages by slug, or nothing. */
export type TableRule = (record: StoredRecord) => Record<string, string[]> | undefined;

/** Row Level Security of a signed-in user (spec: Key facts). */
export interface Policy {
  sees(record: StoredRecord, userId: string): boolean;
  mayDelete: boolean;
}

export interface TableDefinition {
  name: string;
  fields: readonly FieldDefinition[];
  rules?: readonly TableRule[];
  policy?: Policy;
}

/** What a table needs from the app it lives in. */
export interface TableHost {
  readonly options: ServiceOptions;
  readonly ids: Ids;
  nextFieldId(): string;
  changed(event: RecordEvent, table: Table, record: StoredRecord): void;
}

/**
 * A live table. Its public `insert`, `update` and `delete` are changes by somebody else: they check
 * nothing, compute the formulas and fire webhooks like any other change.
 */
export class Table {
  readonly id: string;
  readonly name: string;
  readonly fields: Field[];
  readonly rules: readonly TableRule[];
  readonly policy?: Policy;
  readonly records = new Map<string, StoredRecord>();

  constructor(
    definition: TableDefinition,
    private readonly host: TableHost,
  ) {
    this.id = host.ids.next();
    this.name = definition.name;
    this.rules = definition.rules ?? [];
    this.policy = definition.policy;
    this.fields = definition.fields.map((field) => makeField(field, host.nextFieldId()));
  }

  /** By slug or field id; never by display name (spec: Filters). */
  field(slugOrId: string): Field | undefined {
    return this.fields.find(({ slug, fieldId }) => slug === slugOrId || fieldId === slugOrId);
  }

  insert(values: Record<string, unknown> = {}, { compute = true } = {}): StoredRecord {
    const { options, ids } = this.host;
    const record: StoredRecord = {
      id: ids.next(),
      created_at: timestamp(options.clock.now()),
      ...Object.fromEntries(this.fields.map((field) => [field.slug, blankOf(field, options)])),
      ...values,
    };
    this.records.set(record.id, record);
    if (compute) this.compute(record.id);
    this.host.changed('INSERT', this, this.at(record.id));
    return this.at(record.id);
  }

  update(id: string, values: Record<string, unknown>, { compute = true } = {}): StoredRecord {
    this.records.set(id, { ...this.at(id), ...values });
    if (compute) this.compute(id);
    this.host.changed('UPDATE', this, this.at(id));
    return this.at(id);
  }

  delete(id: string): void {
    const record = this.at(id);
    this.records.delete(id);
    this.host.changed('DELETE', this, record);
  }

  /** Brings the formula fields of one record up to date; true where that changed something. */
  compute(id: string, fields: readonly Field[] = this.fields): boolean {
    const record = this.records.get(id);
    if (!record) return false;
    const results = fields.flatMap(({ slug, formula }) => (formula ? [[slug, formula.of(record)]] : []));
    if (results.every(([slug, result]) => record[slug as string] === result)) return false;
    this.records.set(id, { ...record, ...Object.fromEntries(results) });
    return true;
  }

  /** What a connection to this record shows: the first field that says something. */
  display(id: string): string {
    const record = this.records.get(id);
    const field =
      record && this.fields.find(({ slug, format }) => format.kind === 'text' && !isBlank(record[slug]));
    return field ? asText(record?.[field.slug]) : '';
  }

  private at(id: string): StoredRecord {
    const record = this.records.get(id);
    if (!record) throw new Error(`no record ${id} in ${this.name}`);
    return record;
  }
}

/** A composite value in one line, as a person would read it. */
export function asText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return String(value);
  return Object.values(value).map(asText).filter(Boolean).join(' ');
}
