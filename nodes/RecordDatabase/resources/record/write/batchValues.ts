import type { IDataObject } from 'n8n-workflow';
import { prepareRecordEntries } from '../../../../shared/kit/columns/recordEntries';
import { Item } from '../../../../shared/kit/operation/item';
import { getKind } from '../../../../shared/model/fields/kinds';
import { InputError } from '../../../../shared/model/input/inputError';
import { Table } from '../../../../shared/model/records/table';

/**
 * Checks that a batch update can write a column. The spec defines no notation for a part of a field in `values`,
 * and the service ignores a name that it does not know.
 * @throws InputError for a part of a field or a File column
 */
function ensureBatchColumn(key: string, table: Table): void {
  const { field, part } = table.resolvePayloadField(key, 'Columns');
  if (!getKind(field).holdsFiles && !part) return;
  throw new InputError(
    part
      ? `"${field.name}: ${part.label}" cannot be set for many records at once`
      : `"${field.name}" is a File column and cannot be set for many records at once`,
    `Nothing was sent: the batch update of the service takes ${part ? 'no parts of a field' : 'no files'}. Use Update for each record.`,
  );
}

/**
 * Reads and checks the values.
 * @returns a function that creates the missing connected records and returns the values to send
 * @throws InputError
 */
export async function prepareBatchValues(item: Item, table: Table): Promise<() => Promise<IDataObject[]>> {
  // The response shows no records, so the connected records are checked before.
  const { preview, complete } = await prepareRecordEntries(item, table, { idCheck: 'check' });
  for (const [key] of preview) ensureBatchColumn(key, table);
  if (preview.length === 0)
    throw new InputError(
      'Nothing to change: no column has a value',
      'Add at least one column under "Columns".',
    );
  return async () => {
    const entries = await complete();
    return entries.map(([field_id, value]) => ({ field_id, value, val_type: 'normal' }) as IDataObject);
  };
}
