import { isEqual } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import type { Field } from '../shared/model/fields';
import { Table } from '../shared/model/records/table';
import { LastValues } from './delivery/lastValues';

/**
 * The data that the trigger stores in n8n's static data. All of it is a cache: after a loss it is rebuilt from the
 * service's list, and tokens are computed instead of stored. Long values are stored as text, because n8n copies and
 * observes every entry of a list or object on each delivery.
 */
export interface StaticData {
  /** IDs of the subscriptions. `tables` holds the IDs of their tables. */
  ids: string[];
  tables: string[];
  /** All webhook URLs for which a subscription may exist. */
  addresses: string[];
  /** Whether the service lists webhook URLs without their query string, so that deliveries have no token. */
  dropsToken: boolean;
  /** Fingerprint of the App Secret with which the tokens of the subscriptions were computed. */
  secret: string;
  /** JSON of the fields that the form names, by table ID. With it a delivery needs no request for the fields. */
  fields: string;
  /** Hashes of the latest deliveries. */
  seen: string[];
  /** Hashes of the values that were seen last; see `LastValues`. */
  values: string;
}

const readStrings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

const readText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Reads the static data of `owner`. An imported workflow may hold data of another n8n or app, which is ignored. */
export function readStaticData(data: IDataObject, owner: string): StaticData {
  const own = data.owner === owner ? data : {};
  return {
    ids: readStrings(own.ids),
    tables: readStrings(own.tables),
    addresses: readStrings(own.addresses),
    dropsToken: own.dropsToken === true,
    secret: readText(own.secret),
    fields: readText(own.fields),
    seen: readText(own.seen).split(' ').filter(Boolean),
    values: readText(own.values),
  };
}

/** Writes changed values only, because n8n saves the static data after any write, even of an equal value. */
export function writeStaticData(data: IDataObject, owner: string, changes: Partial<StaticData>): void {
  const state = data.owner === owner ? changes : { ...readStaticData({}, owner), ...changes };
  const next: IDataObject = { ...state, owner, ...(state.seen && { seen: state.seen.join(' ') }) };
  for (const [key, value] of Object.entries(next)) if (!isEqual(data[key], value)) data[key] = value;
}

/** Maximum length of the stored fields in characters. Larger ones are not stored but read for each delivery. */
const MAX_FIELDS_LENGTH = 50_000;

const BLANK_FIELD = { description: '', defaultValue: '', unique: false, computed: false, options: [] };

const parseTables = (text: string): Record<string, Field[]> =>
  text === '' ? {} : (JSON.parse(text) as Record<string, Field[]>);

/** The stored fields of one table; undefined if none are stored. */
export function readStoredTable(text: string, tableId: string): Table | undefined {
  const fields = Object.entries(parseTables(text)).find(([id]) => id === tableId)?.[1];
  return (
    fields &&
    new Table(
      tableId,
      fields.map((field) => ({ ...BLANK_FIELD, ...field })),
    )
  );
}

/** Adds the fields of tables to the stored ones. Only the properties that a delivery needs are stored. */
export function storeTables(text: string, tables: Array<{ id: string; fields: Field[] }>): string {
  const stored = new Map(Object.entries(parseTables(text)));
  for (const { id, fields } of tables) stored.set(id, fields.map(toStoredField));
  const next = JSON.stringify(Object.fromEntries(stored));
  return next.length <= MAX_FIELDS_LENGTH ? next : '';
}

const toStoredField = ({ slug, fieldId, name, type, kind, options, connection }: Field) =>
  ({ slug, fieldId, name, type, kind, connection, ...(options.length > 0 && { options }) }) as Field;

/** Maximum number of delivery hashes per trigger in the memory of this process, about 2 MB. */
const MAX_SEEN = 20_000;

/** Maximum number of delivery hashes in the static data, which n8n writes on every delivery. */
export const MAX_SAVED = 500;

/** Hashes of the latest deliveries. The oldest one is removed when the set is full. */
export class SeenDeliveries {
  private readonly hashes = new Set<string>();
  private readonly latest: string[] = [];

  constructor(private readonly capacity = MAX_SEEN) {}

  has(hash: string): boolean {
    return this.hashes.has(hash);
  }

  add(hash: string): void {
    if (this.hashes.has(hash)) return;
    this.hashes.add(hash);
    if (this.hashes.size > this.capacity) this.hashes.delete(this.hashes.values().next().value as string);
    this.latest.push(hash);
    if (this.latest.length > MAX_SAVED) this.latest.shift();
  }

  save(): string[] {
    return [...this.latest];
  }
}

/** The data about earlier deliveries of one trigger that this process holds in memory. */
export interface TriggerMemory {
  seen: SeenDeliveries;
  lastValues: LastValues;
}

/** Maximum number of triggers in memory. The one without a delivery for the longest time is removed first. */
export const MAX_TRIGGERS = 50;

const triggerMemories = new Map<string, TriggerMemory>();

/**
 * Returns the memory of a trigger, merged with its static data. Each delivery has its own copy of the static data,
 * and copies saved at the same time overwrite each other. The memory of the process therefore has priority, and
 * every save writes all of the latest entries.
 */
export function getTriggerMemory(key: string, { seen, values }: Pick<StaticData, 'seen' | 'values'>) {
  const memory = triggerMemories.get(key) ?? { seen: new SeenDeliveries(), lastValues: new LastValues() };
  triggerMemories.delete(key);
  triggerMemories.set(key, memory);
  if (triggerMemories.size > MAX_TRIGGERS)
    triggerMemories.delete(triggerMemories.keys().next().value as string);
  for (const hash of seen) memory.seen.add(hash);
  memory.lastValues.load(values);
  return memory;
}
