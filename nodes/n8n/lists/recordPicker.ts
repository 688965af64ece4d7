import type { INodeListSearchResult } from 'n8n-workflow';
import { readSearchPage, findRecordsByWords } from '../../records';
import { tryOr } from '../../service';
import { createFromAiDefault } from '../agent/toolForm';
import type { Item } from '../operation/item';
import { type EditorLoader, readEditorList } from './editorList';
import { createLocator } from './listPicker';
import { getPickedTableId } from './tablePickers';

export const recordLocator = createLocator(
  'Records',
  'Record ID',
  'recordId',
  'The record to work with. Operations that read records return its ID.',
  {
    hint: 'Drag the id of the input here, or pick a record',
    inTools: {
      hint: 'Pick a record, or press the stars: the model then gives the ID',
      default: {
        mode: 'id',
        value: createFromAiDefault('recordId', 'ID of the record, as other tools return it'),
      },
    },
    dependsOn: ['dataTableId', 'componentId', 'pdfPageId'],
  },
);

/**
 * Lists the record IDs of all items in the item's batch, so that one request can read the records. An item
 * with an error is left out: its own run reports the error.
 * @param parent the picker of the table or component. Items with another table or component are left out
 */
export const listRecordIds = (item: Item, parent: ReturnType<typeof createLocator>): string[] =>
  item
    .listBatchItems()
    .flatMap((peer) =>
      tryOr(() => (peer.read(parent) === item.read(parent) ? [peer.read(recordLocator)] : []), []),
    );

/** Searches in the picked table, or in the table that the picked component shows. */
export const searchRecords: EditorLoader<INodeListSearchResult> = async (
  context,
  client,
  filter,
  paginationToken,
) => {
  const tableId = await getPickedTableId(context, client);
  if (!tableId) return { results: [] };
  const isSearch = filter !== undefined || paginationToken !== undefined;
  // n8n searches after each typed letter, and at the end of each page. These searches use the cached list.
  const first = await readEditorList(client, `records ${tableId}`, isSearch, () =>
    readSearchPage(client, tableId),
  );
  const page = Number(paginationToken ?? 1);
  const { entries, hasMore } = await findRecordsByWords(client, tableId, first, filter ?? '', page);
  return {
    results: entries.map(({ id, label }) => ({ name: label, value: id })),
    ...(hasMore && { paginationToken: String(page + 1) }),
  };
};
