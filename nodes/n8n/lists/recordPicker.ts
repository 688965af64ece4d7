/**
 * The picker of a record. `recordLocator` is its parameter. n8n calls `searchRecords` when its list opens, and for each
 * search in it.
 */
import { countBy } from 'lodash';
import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';
import {
  buildFilter,
  buildWordFilter,
  fetchRecordPage,
  findLabelFields,
  formatRecordLabel,
  getTable,
  matchesWords,
  splitWords,
  type Table,
} from '../../records';
import { type Client, RequestCache, type ServiceRecord } from '../../service';
import { createResourceLocator, lookUpList, runLookup } from './lookUp';
import { findPickedTable } from './tablePickers';

/** One page of the records that match a search. */
interface PickerPage {
  records: ServiceRecord[];
  hasMore: boolean;
}

/** The searches of a list since it was opened. Words are in lower case. */
class RecordListCache {
  private readonly pages = new RequestCache<PickerPage>();
  /** Searches of which all records were read. */
  private readonly complete: Array<{ words: string[]; records: ServiceRecord[] }> = [];

  /**
   * Returns a page of a search. It sends no request if all records of a wider search are known: each word of that
   * search is a part of one of `words`. The records of a wider search are a superset, so the caller checks each.
   */
  async find(words: string[], page: number, fetch: () => Promise<PickerPage>): Promise<PickerPage> {
    const wider = this.complete.find((search) =>
      search.words.every((part) => words.some((word) => word.includes(part))),
    );
    if (wider) return { records: wider.records, hasMore: false };
    const found = await this.pages.get(JSON.stringify([page, ...words]), fetch);
    if (page === 1 && !found.hasMore) this.complete.push({ words, records: found.records });
    return found;
  }
}

/** Records in one page of the list. The editor loads the next page when the user scrolls to the end. */
const PAGE_SIZE = 100;

/** The parameter "Record ID", with the modes "From List" and "By ID". The list depends on the picked table. */
export const recordLocator = createResourceLocator(
  {
    displayName: 'Record ID',
    name: 'recordId',
    description: 'The record to work with. Operations that read records return its ID.',
    hint: 'Drag the id of the input here, or pick a record',
  },
  {
    searchMethod: 'searchRecords',
    noun: 'Record',
    dependsOn: ['dataTableId', 'componentId', 'pdfPageId'],
    idMode: {
      placeholder: 'e.g. K7pQ2xW9Lm',
      validation: [
        {
          type: 'regex',
          properties: { regex: '(\\s*\\S+\\s*)?', errorMessage: 'The ID of a record contains no spaces' },
        },
      ],
    },
  },
);

/** Reads one page of the records of a table. The service searches for the words where it can. */
async function searchRecordPage(
  client: Client,
  table: Table,
  words: string[],
  page: number,
): Promise<PickerPage> {
  const slugs = findLabelFields(table).map(({ slug }) => slug);
  const selection = { columns: ['id', ...slugs].join(',') };
  const tree = buildWordFilter(table, words);
  const filters = tree && buildFilter(tree, table, { timeZone: 'utc', now: new Date(), hasUserLogin: false });
  const query = { tableId: table.id, filters, selection };
  const { items, total_items: total } = await fetchRecordPage(client, query, page, PAGE_SIZE);
  return { records: items, hasMore: page * PAGE_SIZE < total };
}

/** Converts records to list entries. Entries with the same label get their ID added. */
function toListItems(records: ServiceRecord[], table: Table): INodeListSearchItems[] {
  const entries = records.map((record) => ({ id: record.id, label: formatRecordLabel(record, table) }));
  const counts = countBy(entries, 'label');
  return entries.map(({ id, label }) => ({
    name: counts[label] === 1 ? label : `${label} [${id}]`,
    value: id,
  }));
}

/** Lists records of the picked table, or of the table that the picked component shows. */
export async function searchRecords(
  this: ILoadOptionsFunctions,
  filter?: string,
  paginationToken?: string,
): Promise<INodeListSearchResult> {
  const tableId = await findPickedTable(this);
  if (!tableId) return { results: [] };
  const isSearch = filter !== undefined || paginationToken !== undefined;
  const cache = await lookUpList(this, `records ${tableId}`, isSearch, () =>
    Promise.resolve(new RecordListCache()),
  );
  const words = splitWords(filter ?? '');
  const page = Number(paginationToken ?? 1);
  return runLookup(this, async (client) => {
    const table = await getTable(client, tableId);
    const { records, hasMore } = await cache.find(words, page, () =>
      searchRecordPage(client, table, words, page),
    );
    const matching = records.filter((record) => matchesWords(record, table, words));
    return {
      results: toListItems(matching, table),
      ...(hasMore && { paginationToken: String(page + 1) }),
    };
  });
}
