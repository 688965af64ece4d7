import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { getKind } from '../../model/fields';
import { getTable } from '../../transport/schema';
import { getPickedId, runLookup } from './runLookup';
import { toFieldOptions } from './tablePickers';

/** The value of the entry for all File fields. No slug contains this character. */
export const ALL_FILE_FIELDS = '*';

/** The File fields of the picked table, after an entry for all of them. */
export async function getFileFields(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const tableId = getPickedId(this, 'dataTableId');
  if (!tableId) return [];
  const { fields } = await runLookup(this, (client) => getTable(client, tableId));
  const all = { name: 'All File Columns', value: ALL_FILE_FIELDS };
  return [all, ...toFieldOptions(fields.filter((field) => getKind(field).holdsFiles))];
}
