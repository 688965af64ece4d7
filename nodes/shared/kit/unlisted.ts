import type { INodeProperties } from 'n8n-workflow';
import type { Item } from './item';
import { encodeValue, isBlank, type Entries, type Field } from '../model/fields';
import type { ServiceRecord } from '../model/responses';
import type { Table } from '../model/table';
import { budgetKey } from '../transport/keys';
import { readRecord } from './readRecord';

/**
 * The spec can be read two ways: "body holds the changed field values", or a field that is left out of an
 * update gets its empty value (Record: "Value when a field is omitted"). An update must lose nothing under
 * either, so the first one per application looks, and from then on it is known.
 */
type Reading = 'keeps' | 'blanks';

const known = new Map<string, Reading>();
const looking = new Map<string, Promise<unknown>>();

const appOf = ({ client: { keys } }: Item) => `${budgetKey(keys)}/${keys.appId}`;

export const unlistedOption: INodeProperties = {
  displayName: 'Columns Not Given',
  name: 'unlisted',
  type: 'options',
  default: 'auto',
  description: 'What the service does with columns that an update does not name',
  options: [
    {
      name: 'Detect',
      value: 'auto',
      description: 'Look once, at the first update; nothing is lost either way',
    },
    { name: 'Service Keeps Them', value: 'keeps', description: 'Send only what changes' },
    {
      name: 'Service Empties Them',
      value: 'blanks',
      description: 'Read the record first and send all its values along',
    },
  ],
};

/** Empty in any of the forms that the service has for it, composites part by part. */
const isEmptyValue = (value: unknown): boolean =>
  isBlank(value) ||
  value === 0 ||
  (typeof value === 'object' && Object.values(value).every((part) => isBlank(part)));

/** Files cannot be sent back: what is read of them is where they are. */
const canResend = ({ kind }: Field) => kind !== 'file';

/** A composite is read as one object, or as the keys that it is written with. */
function readValue(record: ServiceRecord, field: Field): unknown {
  if (field.slug in record) return record[field.slug];
  const parts = Object.entries(record).flatMap(([key, value]) => {
    const part = key.startsWith(field.slug) && /^(?:\[(\w+)\]|__(\w+))$/.exec(key.slice(field.slug.length));
    return part ? [[part[1] ?? part[2], value]] : [];
  });
  return parts.length > 0 ? Object.fromEntries(parts) : undefined;
}

const slugsIn = (entries: Entries, table: Table) =>
  new Set(entries.map(([key]) => table.payloadSlot(key, 'Columns').field.slug));

/** Payload entries of the fields of `record` that `given` does not name. */
function currentValues(item: Item, table: Table, record: ServiceRecord, given: Entries): Entries {
  const named = slugsIn(given, table);
  return table.writable
    .filter((field) => canResend(field) && !named.has(field.slug))
    .flatMap((field) => {
      const value = readValue(record, field);
      return value === undefined ? [] : encodeValue(value, field, { timeZone: item.timeZone });
    });
}

type Send = (entries: Entries) => Promise<unknown>;

interface Update {
  item: Item;
  table: Table;
  recordId: string;
  entries: Entries;
  send: Send;
  /** The record as it was just read, where the caller has it. */
  before?: ServiceRecord;
}

async function sendAll({ item, table, recordId, entries, send }: Update): Promise<unknown> {
  const before = await readRecord(item, table.id, recordId);
  return send([...currentValues(item, table, before, entries), ...entries]);
}

/** Fields that an update with `entries` could empty: those that hold something and are not given. */
function atStake({ table, entries }: Update, record: ServiceRecord): Field[] {
  const named = slugsIn(entries, table);
  return table.writable.filter(
    (field) => canResend(field) && !named.has(field.slug) && !isEmptyValue(readValue(record, field)),
  );
}

/** Updates, compares the record before and after, and puts back what the service emptied. */
async function look(update: Update): Promise<unknown> {
  const { item, table, recordId, entries, send } = update;
  const before = update.before ?? (await readRecord(item, table.id, recordId));
  const fields = atStake(update, before);
  // Nothing can be lost, and nothing learned: the next update looks.
  if (fields.length === 0) return send(entries);
  const answer = await send(entries);
  const after = await readRecord(item, table.id, recordId);
  const lost = fields.filter((field) => isEmptyValue(readValue(after, field)));
  known.set(appOf(item), lost.length > 0 ? 'blanks' : 'keeps');
  return lost.length === 0 ? answer : send([...currentValues(item, table, before, entries), ...entries]);
}

/** Sends an update so that columns that were not given keep their values, whichever way the service reads it. */
export async function updateKeeping(update: Update): Promise<unknown> {
  const app = appOf(update.item);
  const chosen = String(update.item.options.unlisted ?? 'auto');
  const reading = chosen === 'auto' ? known.get(app) : chosen;
  if (reading === 'keeps') return update.send(update.entries);
  if (reading === 'blanks') return sendAll(update);
  // One update looks, those beside it wait: two at once could not tell who emptied what.
  const earlier = looking.get(app) ?? Promise.resolve();
  const mine = earlier.then(() => (known.has(app) ? updateKeeping(update) : look(update)));
  looking.set(
    app,
    mine.catch(() => undefined),
  );
  return mine;
}
