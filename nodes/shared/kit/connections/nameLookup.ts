import { chunk, partition, uniq } from 'lodash';
import type { Field } from '../../model/fields';
import type { FilterGroup, FilterItem } from '../../model/filter';
import { asThrown } from '../../model/input/asThrown';
import { findSimilarNames, NameIndex, toNameKey } from '../../model/input/names';
import type { Client } from '../../transport/client';
import { RequestCache } from '../../transport/concurrency/requestCache';
import { isRefusedValue } from '../../transport/errors/apiError';
import { readVerifiedList } from '../../transport/paging/readVerifiedList';
import { memoizePerClient } from '../operation/memoizePerClient';
import { fetchRecordPage } from '../records/fetchRecordPage';
import {
  type ConnectedTable,
  createNameCondition,
  formatRecordName,
  getConnectedTable,
} from './connectedTable';

/** Names in one request. Long names make smaller requests. */
const MAX_NAMES = 50;
const MAX_CHARACTERS = 20_000;

/** Searches for similar names in one execution. Each costs a request. */
const MAX_SUGGESTION_SEARCHES = 20;

const createOrFilter = (items: FilterItem[]): FilterGroup => ({ condition: 'OR', items, child: [] });

/** Divides names into groups that fit into one filter. */
function groupNames(names: string[]): string[][] {
  const [long, short] = partition(names, ({ length }) => length > MAX_CHARACTERS / MAX_NAMES);
  return [...chunk(short, MAX_NAMES), ...long.map((name) => [name])];
}

/** The IDs of the records with each name. */
type IdsByName = Map<string, string[]>;

/**
 * Finds records of one connected table by their names (see `toNameKey`), and keeps the results. A failure is not kept.
 * The service may ignore a filter, so all results are compared here.
 */
export class NameLookup {
  private readonly results = new RequestCache<string[]>();
  private suggestionSearches = 0;

  constructor(
    private readonly client: Client,
    readonly target: ConnectedTable,
  ) {}

  /** Returns the IDs of the records with each name; an empty list for a name that no record has. */
  async find(names: string[]): Promise<Map<string, string[]>> {
    const unknown: string[] = [];
    // The names of this call are collected first and requested together.
    const requests = Promise.resolve().then(() => this.startRequests(unknown));
    const entries = names.map(async (name) => {
      const ids = await this.results.get(name, () => {
        unknown.push(name);
        return requests.then((byName) => byName.get(name) ?? []);
      });
      return [name, ids] as const;
    });
    return new Map(await Promise.all(entries));
  }

  /** Looks up a name with a new request. The result of an earlier look-up is not used. */
  async findAnew(name: string): Promise<string[]> {
    this.results.delete(name);
    return (await this.find([name])).get(name) ?? [];
  }

  /** Stores the ID of a created record. */
  async remember(name: string, id: string): Promise<void> {
    this.results.delete(name);
    await this.results.get(name, () => Promise.resolve([id]));
  }

  /** Returns up to three names that `name` may be a misspelling of. Empty when the search fails. */
  async suggest(name: string): Promise<string[]> {
    if (++this.suggestionSearches > MAX_SUGGESTION_SEARCHES || name.length > 100) return [];
    const { slug } = this.target.nameField;
    const words = name.split(/\s+/).sort((a, b) => b.length - a.length);
    const filters = createOrFilter([
      { field_id: slug, operator: 'starts with', val: [...name].slice(0, 2).join('') },
      { field_id: slug, operator: 'contains', val: words[0] ?? name },
    ]);
    const list = await this.fetchPage(filters, 1, 200).catch(() => ({ items: [] }));
    return findSimilarNames(name, uniq(list.items.map((record) => formatRecordName(record, this.target))));
  }

  /** Starts the requests for `names` and returns the request that answers each of them. */
  private startRequests(names: string[]): Map<string, Promise<string[]>> {
    const requests = groupNames(names).flatMap((group) => {
      const request = this.fetchNames(group);
      return group.map((name) => [name, this.selectName(name, group, request)] as const);
    });
    return new Map(requests);
  }

  /** One refused name must not fail the others, so each name of a refused group is requested alone. */
  private async selectName(name: string, group: string[], request: Promise<IdsByName>): Promise<string[]> {
    const found = await request.catch((error: unknown) => {
      if (!isRefusedValue(error) || group.length === 1) throw asThrown(error);
      return this.fetchNames([name]);
    });
    return found.get(name) ?? [];
  }

  private async fetchNames(names: string[]): Promise<IdsByName> {
    const items = names.flatMap((name) => createNameCondition(name, this.target.nameField));
    const records = items.length === 0 ? [] : await this.fetchRecords(createOrFilter(items));
    const index = new NameIndex(
      records,
      (record) => [formatRecordName(record, this.target).trim()],
      toNameKey,
    );
    return new Map(names.map((name) => [name, index.find(name).map(({ id }) => id)]));
  }

  private fetchRecords(filters: FilterGroup) {
    return readVerifiedList({
      fetchPage: (page, limit) => this.fetchPage(filters, page, limit),
      limit: Infinity,
      concurrency: 2,
      getId: ({ id }) => id,
    });
  }

  private async fetchPage(filters: FilterGroup, page: number, limit: number) {
    const query = { tableId: this.target.table.id, filters };
    const { items, total_items: total } = await fetchRecordPage(this.client, query, page, limit);
    return { items, total };
  }
}

/** The look-ups of an execution by table and name field. */
const getLookups = memoizePerClient(() => Promise.resolve(new Map<string, NameLookup>()));

/**
 * Returns the look-up of the table that a connection leads to. One execution has one look-up for each table.
 * @throws InputError when the service names no field by which to find records
 */
export async function getNameLookup(client: Client, field: Field): Promise<NameLookup> {
  const target = await getConnectedTable(client, field);
  const lookups = await getLookups(client);
  const key = JSON.stringify([target.table.id, target.nameField.slug]);
  const lookup = lookups.get(key) ?? new NameLookup(client, target);
  lookups.set(key, lookup);
  return lookup;
}
