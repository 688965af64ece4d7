import type { INodeProperties } from 'n8n-workflow';
import { filterForm } from '../../../shared/kit/filterForm';
import type { Item } from '../../../shared/kit/item';
import type { Operation, Output } from '../../../shared/kit/operation';
import { tableLocator } from '../../../shared/kit/pickers';
import { limitOf, returnAllOrLimit } from '../../../shared/kit/returnAll';
import { ApiFailure } from '../../../shared/transport/errors';
import { readPages } from '../../../shared/transport/pages';
import { endpoints } from './endpoints';
import { pageReader, type ReadPage } from './listing';
import { readOptions, shaped } from './shape';
import { sortForm } from '../../../shared/kit/sortForm';

const CHANGED =
  'Records were added or removed while they were read. What was read before was read again, and nothing that was there all the time is missing.';
const MAY_MISS =
  'Records were added and removed faster than they could be read, so some may be missing. Turn on "Strict Paging" to fail instead, or read when less is going on.';

const listOptions: INodeProperties[] = [
  {
    displayName: 'If Nothing Found',
    name: 'ifNothingFound',
    type: 'options',
    default: 'nothing',
    options: [
      { name: 'Return an Empty Item', value: 'emptyItem' },
      { name: 'Return an Error', value: 'error' },
      { name: 'Return Nothing', value: 'nothing' },
    ],
  },
  {
    displayName: 'Include Total',
    name: 'includeTotal',
    type: 'boolean',
    default: true,
    description: 'Whether each item also tells how many records match in all, under "_total"',
  },
  {
    displayName: 'Strict Paging',
    name: 'strictPaging',
    type: 'boolean',
    default: true,
    description:
      'Whether to make sure that no record is skipped while others add or remove some, and to fail where that cannot be had. Reads about a seventh more pages.',
  },
];

/** What comes out when no record matches. */
function nothing(item: Item): Output[] {
  const choice = item.options.ifNothingFound;
  if (choice === 'emptyItem') return [{ json: {} }];
  if (choice !== 'error') return [];
  throw new ApiFailure({
    message: 'No record matches',
    description: 'Loosen the filter, or choose another "If Nothing Found" in the options.',
  });
}

/** Every page of `read` up to the item's limit, in the shape that the options ask for. */
export async function readAll(item: Item, read: ReadPage): Promise<Output[]> {
  let total: number | undefined;
  const records = await readPages({
    fetch: async (page, size) => {
      const list = await read(page, size);
      total ??= list.total_items;
      return { items: list.items, total: list.total_items };
    },
    limit: limitOf(item),
    parallel: item.client.parallel,
    idOf: ({ id }) => id,
    strict: item.option('strictPaging') === true,
    onDrift: (complete) => item.client.notices.hint(complete ? CHANGED : MAY_MISS),
    onProgress: (count, expected) =>
      item.client.notices.progress(() => `${count} of ${expected ?? 'an unknown number of'} records read`),
  });
  if (records.length === 0) return nothing(item);
  const found = await shaped(item, records);
  if (!item.option('includeTotal')) return found;
  return found.map(({ json }) => ({ json: { ...json, _total: total ?? records.length } }));
}

/** Options of the operations that list records. */
export const listReadOptions = readOptions(...listOptions);

export const getAll: Operation = {
  name: 'getAll',
  displayName: 'Get Many',
  action: 'Get many records',
  description: 'Get many records, filtered and sorted',
  endpoints: [endpoints.list, endpoints.listFiltered],
  parameters: [tableLocator, ...returnAllOrLimit, ...filterForm, sortForm, listReadOptions],
  run: async (item) => readAll(item, await pageReader(item)),
};

export const count: Operation = {
  name: 'count',
  displayName: 'Count',
  action: 'Count records',
  description: 'Count the records that match a filter, in one small request',
  endpoints: [endpoints.list, endpoints.listFiltered],
  parameters: [tableLocator, ...filterForm],
  async run(item) {
    const list = await (await pageReader(item))(1, 1);
    if (list.total_items === undefined) {
      throw new ApiFailure({
        message: 'The service did not say how many records match',
        description: 'Use Get Many and count its items instead.',
      });
    }
    return [{ json: { count: list.total_items } }];
  },
};
