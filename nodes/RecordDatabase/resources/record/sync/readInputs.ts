import { readRecordEntries } from '../../../../shared/kit/columns/recordEntries';
import type { Item } from '../../../../shared/kit/operation/item';
import { tableLocator } from '../../../../shared/kit/pickers/tablePickers';
import type { SyncOrder } from '../../../../shared/kit/sync/orderChanges';
import type { SyncInput, SyncPlan } from '../../../../shared/kit/sync/planSync';
import { asThrown } from '../../../../shared/model/input/asThrown';
import { getKind } from '../../../../shared/model/fields';
import { InputError } from '../../../../shared/model/input/inputError';
import { UnknownFieldError, type Table } from '../../../../shared/model/records/table';
import { createMatchKey, type MatchKey } from '../upsert/matchKey';
import { formatInputKey } from './syncKey';

/** Maximum number of items that an error names. */
const MAX_NAMED = 10;

/** An input item with the key by which the service finds its record. */
export interface KeyedInput extends SyncInput {
  matchKey: MatchKey;
}

/**
 * A sync plan with the order of its changes, and with match keys, by which a created record can be found if the
 * response to the create is lost.
 */
export interface KeyedPlan extends SyncPlan<KeyedInput> {
  order: SyncOrder<KeyedInput>;
}

/** @throws InputError when an item names another table than the first one */
function ensureOneTable(items: Item[], tableId: string): void {
  if (!items[0]?.isExpression('dataTableId')) return;
  const other = items.find((item) => item.read(tableLocator) !== tableId);
  if (!other) return;
  throw new InputError(
    `Item ${other.index} is for another table than the first item`,
    'Sync makes one table equal to all items. Nothing was sent: use one node for each table.',
  );
}

async function readInput(item: Item, table: Table, columns: string[]): Promise<KeyedInput> {
  const entries = await readRecordEntries(item, table);
  const file = entries
    .map(([key]) => table.resolvePayloadField(key, 'Columns').field)
    .find((field) => getKind(field).holdsFiles);
  if (file) {
    throw new InputError(
      `"${file.name}" is a File column`,
      'Files cannot be compared. Leave the column out, and write files with Create or Update.',
    );
  }
  const matchKey = createMatchKey(columns, entries, table);
  return { index: item.index, key: formatInputKey(matchKey), entries, matchKey };
}

/**
 * Reads the values and the key of each item.
 * @throws InputError that lists the items with an invalid value or without a key; no item is left out, because its
 *   record could then be deleted
 */
export async function readInputs(items: Item[], table: Table, columns: string[]): Promise<KeyedInput[]> {
  ensureOneTable(items, table.id);
  const inputs: KeyedInput[] = [];
  const problems: string[] = [];
  for (const item of items) {
    try {
      inputs.push(await readInput(item, table, columns));
    } catch (error) {
      if (!(error instanceof InputError) || error instanceof UnknownFieldError) throw asThrown(error);
      problems.push(`item ${item.index}: ${error.message}`);
    }
  }
  if (problems.length === 0) return inputs;
  const more = problems.length > MAX_NAMED ? '; …' : '';
  throw new InputError(
    `${problems.length} of ${items.length} items cannot be synced: ${problems.slice(0, MAX_NAMED).join('; ')}${more}`,
    'Nothing was sent. Correct these items, or remove them from the input.',
  );
}
