/** Return All, Limit, and the options of operations that return lists. */
import { isEmpty } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { readAllRecords } from '../../records';
import {
  type Client,
  type Endpoint,
  InputError,
  type ListResponse,
  MAX_PAGE_SIZE,
  type ServiceRecord,
} from '../../service';
import { defineParameter } from '../parameters/parameter';
import type { Item } from './item';
import { isFailure, type Result } from './operation';

/** @throws InputError if Start Page is used with Return All */
export function readListRange(item: Item): ListRange {
  const limit = readLimit(item);
  const startPage = item.readOption(startPageOption);
  if (startPage === undefined || startPage === 1 || Number.isFinite(limit)) return { limit, startPage };
  throw new InputError(
    'Start Page needs a Limit: a page has as many entries as Limit',
    'Turn off "Return All", or remove the option.',
  );
}

const CHANGED_LIST_HINT =
  'Records changed while they were read, twice, so some may be missing. Run it again, or filter for fewer records: up to 200 are read in one request.';

/** Shown because half of the clients read only the first records, and nobody noticed (evidence, pains). */
const CUT_LIST_HINT = 'More records match than the default Limit returns. For all, turn on "Return All".';

/** Reads records. Include Total adds the totals to each record. In a tool, the first record always has `_total`. */
export async function listRecords(
  item: Item,
  query: Parameters<typeof readAllRecords>[1],
  format: (records: ServiceRecord[]) => Promise<Result[]>,
): Promise<Result[]> {
  const { client, isTool } = item;
  const range = readListRange(item);
  let total = 0;
  const records = await readAllRecords(client, {
    ...query,
    ...range,
    onPage: (list) => void (total ||= list.total_items),
    onChange: () => client.notices.addHint(CHANGED_LIST_HINT),
  });
  // No hint if the user chose the limit, or reads the other records with Start Page.
  const hasDefaultLimit = !isTool && !range.startPage && range.limit === limitParameter.default;
  if (hasDefaultLimit && total > range.limit) client.notices.addHint(CUT_LIST_HINT);
  if (records.length === 0) return isTool ? [{ json: { _total: 0 } }] : [];
  const results = await format(records);
  const totals = { ...buildTotals(item, range, total), ...(isTool && { _total: total }) };
  if (isEmpty(totals)) return results;
  return results.map((one, index) =>
    isFailure(one) || (isTool && index > 0) ? one : { ...one, json: { ...one.json, ...totals } },
  );
}

/** Reads pages until one has no new entry. Entries with equal JSON count as one: the spec shows no IDs. */
export async function readPagedList(
  client: Client,
  endpoint: Endpoint<ListResponse>,
  limit = Infinity,
  query: IDataObject = {},
): Promise<unknown[]> {
  const found = new Map<string, unknown>();
  const size = Math.min(MAX_PAGE_SIZE, limit);
  for (let page = 1, before = -1; found.size < limit && found.size > before; page++) {
    before = found.size;
    const { body } = await client.call(endpoint, { query: { ...query, page, limit: size } });
    for (const entry of body.items) found.set(JSON.stringify(entry), entry);
    if (found.size >= (body.total ?? Infinity)) break;
  }
  return [...found.values()].slice(0, limit);
}

const returnAllParameter = defineParameter({
  displayName: 'Return All',
  name: 'returnAll',
  type: 'boolean',
  default: false,
  forTools: 'never',
  description: 'Whether to return all results or only up to a given limit',
});

const limitParameter = defineParameter({
  displayName: 'Limit',
  name: 'limit',
  type: 'number',
  typeOptions: { minValue: 1 },
  default: 50,
  description: 'Max number of results to return',
  displayOptions: { show: { returnAll: [false] } },
  inTools: { displayOptions: {} },
});

export const limitParameters = [returnAllParameter, limitParameter];

export const readLimit = (item: Item): number =>
  item.read(returnAllParameter) ? Infinity : item.read(limitParameter);

export const startPageOption = defineParameter({
  displayName: 'Start Page',
  name: 'startPage',
  type: 'number',
  typeOptions: { minValue: 1 },
  default: 1,
  displayOptions: { show: { '/returnAll': [false] } },
  inTools: { displayOptions: {} },
  description:
    'Page of the list to return. A page has as many entries as Limit; above 200, choose a multiple of 100. A loop that reads one page in each turn reads a list of any length.',
  hint: 'Entries that are added or removed while a loop reads the pages may be skipped or repeated',
});

export const includeTotalOption = defineParameter({
  displayName: 'Include Total',
  name: 'includeTotal',
  type: 'boolean',
  default: true,
  // A tool needs no option: the first record of its answer always has the total.
  forTools: 'never',
  description:
    'Whether each item also contains the number of all matching entries as "_total", and with Start Page its page and the number of pages as "_page" and "_pages"',
});

export interface ListRange {
  /** Number of entries; Infinity for all. */
  limit: number;
  /** The page to return, with `limit` entries; undefined if Start Page was not added. */
  startPage?: number;
}

/** Returns the keys that Include Total adds: `{ _total: 1034, _page: 2, _pages: 11 }`. */
export function buildTotals(item: Item, { limit, startPage }: ListRange, total: number): IDataObject {
  if (!item.readOption(includeTotalOption)) return {};
  return {
    _total: total,
    ...(startPage !== undefined && { _page: startPage, _pages: Math.ceil(total / limit) }),
  };
}
