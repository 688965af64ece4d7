import type { IDataObject } from 'n8n-workflow';
import { Item } from '../../../shared/kit/item';
import type { ServiceRecord } from '../../../shared/model/responses';
import type { Table } from '../../../shared/model/table';
import { ApiFailure } from '../../../shared/transport/errors';
import { readPages } from '../../../shared/transport/pages';
import { endpoints } from './endpoints';
import { listIn } from './listing';
import { entriesOf, mappedOf } from '../../../shared/kit/givenValues';
import { filterFor, isStray, matchKey, meets, type MatchKey } from './matchKey';

/** Items looked up by one request: their conditions must fit into one filter. */
const BATCH = 50;

/** Answers to a value that the service does not take. */
const REFUSED = new Set([400, 413, 414, 422, 431]);

/** What a look-up brought. */
interface Found {
  records: ServiceRecord[];
  /** Whether some of it belongs to no key that was looked up. */
  hasStrays: boolean;
}

/** Columns to match on, as n8n's mapper keeps them. */
export const matchColumns = (item: Item): string[] =>
  item.value<{ matchingColumns?: string[] }>('columns', {}).matchingColumns ?? [];

/** The value of a column; of a part, also where the input has its field whole, as `{first_name: …}`. */
function valueFor(column: string, values: Record<string, unknown>, table: Table): unknown {
  if (column in values) return values[column];
  const { field, part } = table.payloadSlot(column, 'Columns to Match On');
  const whole = (values[field.slug] ?? {}) as Record<string, unknown>;
  return part && (whole[part.payload] ?? whole[part.filter]);
}

/** The item's key. @throws InputError */
export function keyOf(item: Item, table: Table): MatchKey {
  const columns = matchColumns(item);
  const values = mappedOf(item, table);
  const chosen = Object.fromEntries(columns.map((one) => [one, valueFor(one, values, table)]));
  return matchKey(columns, entriesOf(item, table, chosen), table);
}

/**
 * Finds the records that the items of one execution match, about fifty items a request, and remembers what
 * the execution itself created. Items with the same key wait for one another: the first may create the
 * record that the next ones update.
 */
export class UpsertLookup {
  private readonly batches = new Map<string, Promise<Found>>();
  private readonly created = new Map<string, string[]>();
  private readonly turns = new Map<string, Promise<unknown>>();
  private readonly unchanged = new Map<string, ServiceRecord>();
  /** Keys whose record may have been created meanwhile: the answer was lost. */
  private readonly unclear = new Set<string>();

  /** Runs `work` with the ids of the records that match, behind earlier items with the same key. */
  inTurn<T>(item: Item, table: Table, key: MatchKey, work: (ids: string[]) => Promise<T>): Promise<T> {
    const name = `${table.id} ${key.text}`;
    const before = this.turns.get(name) ?? Promise.resolve();
    const find = () =>
      this.unclear.has(name) ? this.findAnew(item, table, key) : this.find(item, table, key);
    const turn = before.then(async () => work(this.created.get(name) ?? (await find())));
    this.turns.set(
      name,
      turn.catch((error: unknown) => {
        if (error instanceof ApiFailure && error.outcomeUnknown) this.unclear.add(name);
      }),
    );
    return turn;
  }

  /** Later items with this key update what was just created. */
  remember(table: Table, key: MatchKey, id: string): void {
    this.created.set(`${table.id} ${key.text}`, [id]);
  }

  /** The record as the look-up read it; only once, for the caller is about to change it. */
  take(id: string): ServiceRecord | undefined {
    const record = this.unchanged.get(id);
    this.unchanged.delete(id);
    return record;
  }

  private async find(item: Item, table: Table, key: MatchKey): Promise<string[]> {
    const start = Math.floor(item.index / BATCH) * BATCH;
    const name = `${table.id} ${start}`;
    const batch = this.batches.get(name) ?? this.read(item, table, this.keysFrom(item, table, start));
    this.batches.set(name, batch);
    const found = await batch.catch((error: unknown) => {
      // What failed is not kept, and one item's value must not fail the others that it was looked up with.
      if (this.batches.get(name) === batch) this.batches.delete(name);
      if (error instanceof ApiFailure && REFUSED.has(error.status ?? 0)) return undefined;
      throw error;
    });
    // What reads otherwise than it was asked for may be another item's: it must not keep this one from its own.
    const isClear = found && (!found.hasStrays || matching(found, key).length > 0);
    return isClear ? idsOf(found, key) : this.findAnew(item, table, key);
  }

  /** For one key alone, whatever an earlier look-up found. */
  async findAnew(item: Item, table: Table, key: MatchKey): Promise<string[]> {
    return idsOf(await this.read(item, table, [key]), key);
  }

  private async read(item: Item, table: Table, keys: MatchKey[]): Promise<Found> {
    const filters = filterFor(keys);
    const path = { dataTableId: table.id };
    const records = await readPages({
      fetch: async (page, limit) => {
        const body = { filters, page, limit } as unknown as IDataObject;
        const list = listIn((await item.client.call(endpoints.listFiltered, { path, body })).body);
        return { items: list.items, total: list.total_items };
      },
      limit: Infinity,
      parallel: 2,
      idOf: ({ id }) => id,
    });
    for (const record of records) this.unchanged.set(record.id, record);
    return { records, hasStrays: records.some((record) => isStray(record, keys)) };
  }

  /** Keys of the batch's items. One that is faulty is left out here and reported by its own run. */
  private keysFrom({ context, client }: Item, table: Table, start: number): MatchKey[] {
    const inputs = context.getInputData().slice(start, start + BATCH);
    const items = inputs.map((input, offset) => new Item(context, client, start + offset, input));
    const known = new Map<string, MatchKey>();
    for (const one of items) {
      const key = tried(() => (one.id('dataTableId') === table.id ? keyOf(one, table) : undefined));
      if (key) known.set(key.text, key);
    }
    return [...known.values()];
  }
}

const matching = ({ records }: Found, key: MatchKey) => records.filter((record) => meets(record, key));

/** @throws ApiFailure where the record may be among those found but cannot be told: a second one must not be made */
function idsOf(found: Found, key: MatchKey): string[] {
  const ids = matching(found, key).map(({ id }) => id);
  if (ids.length > 0 || !found.hasStrays) return ids;
  const names = key.matches.map(({ slot }) => `"${slot.field.name}"`).join(' and ');
  throw new ApiFailure({
    message: `Whether a record matches ${key.text} cannot be told`,
    description: `The service found records whose ${names} reads otherwise than what was asked for. Nothing was created or changed. Match on another column.`,
  });
}

function tried<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
