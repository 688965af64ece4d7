/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { isDeepStrictEqual } from 'node:util';
import type { ServiceOptions } from '../options';
import type { IdGenerator } from '../state/random';
import { formatTimestamp } from '../state/time';
import { createBlankValue, createField, type Field, type FieldDefinition, isBlank } from './field';

/**
 * A stored record: values by the keys of their fields. A connection is a list of ids; a Name, Address or Calendar is an
 * object of its parts.
 */
export interface StoredRecord {
  readonly id: string;
  readonly created_at: string;
  [key: string]: unknown;
}

export type RecordEvent = 'INSERT' | 'UPDATE' | 'DELETE';

/** A table rule (spec: Errors, other rule 2). Returns messages by the keys of fields, or undefined. */
type TableRule = (record: StoredRecord) => Record<string, string[]> | undefined;

/** Row Level Security of a signed-in user (spec: Key facts). */
interface RowPolicy {
  canSee(record: StoredRecord, userId: string): boolean;
  mayDelete: boolean;
}

export interface TableDefinition {
  name: string;
  fields: readonly FieldDefinition[];
  rules?: readonly TableRule[];
  policy?: RowPolicy;
  /** Whether slugs are words also where the service numbers them. */
  keepsSlugs?: boolean;
}

/** The application, as its tables use it. */
export interface TableHost {
  readonly options: ServiceOptions;
  readonly ids: IdGenerator;
  nameField(key: string, keepsKey?: boolean): { slug: string; fieldId: string };
  notifyChange(event: RecordEvent, table: Table, record: StoredRecord, change: Change): void;
}

/** Slugs of fields that a change is about. */
export interface Change {
  /** Those that it set or changed. */
  touched: string[];
  /** Those that the write named; undefined for a deletion, which is about all. */
  saved?: string[];
}

interface WriteOptions {
  compute?: boolean;
  /** Keys of the fields that the write named, if `values` holds others as well. */
  saved?: string[];
}

/**
 * A live table. `insert`, `update` and `delete` validate nothing, calculate the formulas and send
 * webhooks; tests call them to change records without the API.
 */
export class Table {
  readonly id: string;
  readonly name: string;
  readonly fields: Field[];
  readonly rules: readonly TableRule[];
  readonly policy?: RowPolicy;
  private readonly stored = new Map<string, StoredRecord>();
  private readonly rowNumbers = new Map<string, number>();
  private createLater?: () => Iterable<StoredRecord>;

  /** The options of the service, as they are now. */
  get options(): ServiceOptions {
    return this.host.options;
  }

  constructor(
    definition: TableDefinition,
    private readonly host: TableHost,
  ) {
    this.id = host.ids.next();
    this.name = definition.name;
    this.rules = definition.rules ?? [];
    this.policy = definition.policy;
    this.fields = definition.fields.map((field) =>
      createField(field, (key) => host.nameField(key, definition.keepsSlugs), host.options),
    );
  }

  /** Live records by ID. The first use creates those of `addLater`. */
  get records(): Map<string, StoredRecord> {
    const create = this.createLater;
    this.createLater = undefined;
    for (const record of create?.() ?? []) this.store(record);
    return this.stored;
  }

  /** Counts the records in order of creation, from 1; deleted ones too. */
  getRowNumber(id: string): number | undefined {
    return this.rowNumbers.get(id);
  }

  /** Adds records when they are first needed. Most tests use one table of a service. */
  addLater(create: () => Iterable<StoredRecord>): void {
    this.createLater = create;
  }

  /** By slug or field id, not by display name (spec: Filters). */
  findField(slugOrId: string): Field | undefined {
    return this.fields.find(({ slug, fieldId }) => slug === slugOrId || fieldId === slugOrId);
  }

  insert(
    values: Record<string, unknown> = {},
    { compute = true, saved = Object.keys(values) }: WriteOptions = {},
  ): StoredRecord {
    const { options, ids } = this.host;
    const record: StoredRecord = {
      id: ids.nextOfRow(this.rowNumbers.size + 1),
      created_at: formatTimestamp(options.clock.now(), options.timeZone),
      ...Object.fromEntries(this.fields.map((field) => [field.key, createBlankValue(field, options)])),
      ...values,
    };
    this.store(record);
    for (const { key, format } of this.fields)
      if (format.derive) record[key] = format.derive(record, this.rowNumbers.size);
    if (compute) this.compute(record.id);
    return this.notifyChange(
      'INSERT',
      this.getRecord(record.id),
      ({ key }, inserted) => !isBlank(inserted[key]),
      saved,
    );
  }

  update(
    id: string,
    values: Record<string, unknown>,
    { compute = true, saved = Object.keys(values) }: WriteOptions = {},
  ): StoredRecord {
    const before = this.getRecord(id);
    this.records.set(id, { ...before, ...values });
    if (compute) this.compute(id);
    return this.notifyChange(
      'UPDATE',
      this.getRecord(id),
      ({ key }, after) => !isDeepStrictEqual(before[key], after[key]),
      saved,
    );
  }

  delete(id: string): void {
    const record = this.getRecord(id);
    this.records.delete(id);
    this.notifyChange('DELETE', record, () => false);
  }

  /** Calculates the formula fields of one record. Returns whether a value changed. */
  compute(id: string, fields: readonly Field[] = this.fields): boolean {
    const record = this.records.get(id);
    if (!record) return false;
    const results = fields.flatMap(({ key, formula }) => (formula ? [[key, formula.evaluate(record)]] : []));
    if (results.every(([key, result]) => record[key as string] === result)) return false;
    this.records.set(id, { ...record, ...Object.fromEntries(results) });
    return true;
  }

  /** What a connection to this record shows: its first text field that is not blank. */
  getDisplayText(id: string): string {
    const record = this.records.get(id);
    const field =
      record && this.fields.find(({ key, format }) => format.kind === 'text' && !isBlank(record[key]));
    return field ? asText(record?.[field.key]) : '';
  }

  private store(record: StoredRecord): void {
    this.records.set(record.id, record);
    this.rowNumbers.set(record.id, this.rowNumbers.size + 1);
  }

  private notifyChange(
    event: RecordEvent,
    record: StoredRecord,
    isTouched: (field: Field, record: StoredRecord) => boolean,
    saved?: string[],
  ): StoredRecord {
    const listSlugs = (test: (field: Field) => boolean) => this.fields.filter(test).map(({ slug }) => slug);
    this.host.notifyChange(event, this, record, {
      touched: listSlugs((field) => isTouched(field, record)),
      saved: saved && listSlugs(({ key }) => saved.includes(key)),
    });
    return record;
  }

  private getRecord(id: string): StoredRecord {
    const record = this.records.get(id);
    if (!record) throw new Error(`no record ${id} in ${this.name}`);
    return record;
  }
}

/** A value as text; the parts of a composite are joined by spaces. */
export function asText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return String(value);
  return Object.values(value).map(asText).filter(Boolean).join(' ');
}
