import type { INodeProperties } from 'n8n-workflow';
import type { Item } from './item';
import { endpointName, type Endpoint } from '../model/endpoint';
import type { Entries } from '../model/fields';
import type { ServiceRecord } from '../model/responses';
import type { Table } from '../model/table';
import { ApiFailure } from '../transport/errors';
import { budgetKey } from '../transport/keys';
import { atStake, currentValues, holdsNothing, slugsIn } from './heldValues';
import { readRecord } from './readRecord';

/**
 * The spec can be read two ways: "body holds the changed field values", or a field that is left out of an
 * update gets its empty value (Record: "Value when a field is omitted"). An update must lose nothing under
 * either, so the first one per application and endpoint looks, and from then on it is known.
 */
type Reading = 'keeps' | 'blanks';

const known = new Map<string, Reading>();
const looking = new Map<string, Promise<unknown>>();

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

type Send = (entries: Entries) => Promise<unknown>;

interface Update {
  item: Item;
  /** What `send` calls: another endpoint may read the same payload in another way. */
  endpoint: Endpoint;
  table: Table;
  recordId: string;
  entries: Entries;
  send: Send;
  /** The record as it was just read, where the caller has it. */
  before?: ServiceRecord;
}

const readerOf = ({ item: { client }, endpoint }: Update) =>
  `${budgetKey(client.keys)}/${client.keys.appId} ${endpointName(endpoint)}`;

async function sendAll({ item, table, recordId, entries, send }: Update): Promise<unknown> {
  const before = await readRecord(item, table.id, recordId);
  return send([...currentValues(table, before, entries, { timeZone: item.timeZone }), ...entries]);
}

/** What the service emptied goes back; of a value that the table allows no more, the others must not be lost. */
async function putBack({ item, table, entries, send }: Update, whole: Entries): Promise<unknown> {
  return send(whole).catch((error: unknown) => {
    const slugOf = (key: string) => table.payloadSlot(key, 'Columns').field.slug;
    const refused = error instanceof ApiFailure ? Object.keys(error.fieldErrors) : [];
    const named = slugsIn(entries, table);
    const rest = whole.filter(([key]) => named.has(slugOf(key)) || !refused.includes(slugOf(key)));
    if (rest.length === whole.length) throw error;
    item.client.notices.hint(
      `The service empties columns that an update does not name, and does not take back what it held in: ${refused.join(', ')}.`,
    );
    return send(rest);
  });
}

/** Updates, compares the record before and after, and puts back what the service emptied. */
async function look(update: Update): Promise<unknown> {
  const { item, table, recordId, entries, send } = update;
  const before = update.before ?? (await readRecord(item, table.id, recordId));
  const fields = atStake(table, before, entries);
  // Nothing can be lost, and nothing learned: the next update looks.
  if (fields.length === 0) return send(entries);
  // Made before anything is sent: what cannot be put back must not be put at risk.
  const whole = [...currentValues(table, before, entries, { timeZone: item.timeZone }), ...entries];
  const answer = await send(entries);
  const after = await readRecord(item, table.id, recordId);
  const lost = fields.filter((field) => holdsNothing(after, field));
  known.set(readerOf(update), lost.length > 0 ? 'blanks' : 'keeps');
  return lost.length === 0 ? answer : putBack(update, whole);
}

/** Sends an update so that columns that were not given keep their values, whichever way the service reads it. */
export async function updateKeeping(update: Update): Promise<unknown> {
  const reader = readerOf(update);
  const { unlisted } = update.item.options;
  const reading = unlisted === 'keeps' || unlisted === 'blanks' ? unlisted : known.get(reader);
  if (reading === 'keeps') return update.send(update.entries);
  if (reading === 'blanks') return sendAll(update);
  // One update looks, those beside it wait: two at once could not tell who emptied what.
  const earlier = looking.get(reader) ?? Promise.resolve();
  const mine = earlier.then(() => (known.has(reader) ? updateKeeping(update) : look(update)));
  looking.set(
    reader,
    mine.catch(() => undefined),
  );
  return mine;
}
