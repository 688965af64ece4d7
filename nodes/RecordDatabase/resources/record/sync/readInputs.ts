import { isEqual, zip } from 'lodash';
import { prepareRecordEntries } from '../../../../shared/kit/columns/recordEntries';
import type { Item, Items } from '../../../../shared/kit/operation/item';
import { iterateInTurns } from '../../../../shared/kit/operation/loop/iterateInTurns';
import type { SyncInput } from '../../../../shared/kit/sync/planSync';
import type { PayloadEntries, PayloadValue } from '../../../../shared/model/fields';
import { asThrown } from '../../../../shared/model/input/asThrown';
import { InputError, joinFirst } from '../../../../shared/model/input/inputError';
import type { Table } from '../../../../shared/model/records/table';
import { UnknownFieldError } from '../../../../shared/model/records/unknownField';
import { createMatchKey } from '../upsert/matchKey';
import { formatInputKey } from './syncKey';

/** Keeps the columns apart from the values, so that the items share them: 100,000 items take a third of the memory. */
class InputRow implements SyncInput {
  constructor(
    readonly index: number,
    readonly key: string,
    private readonly columns: string[],
    private readonly values: PayloadValue[],
    readonly hasMissing: boolean,
  ) {}

  get entries(): PayloadEntries {
    return zip(this.columns, this.values) as PayloadEntries;
  }
}

/** Returns the checked values of an item, and its key. @throws InputError */
async function readEntries(item: Item, table: Table, matchColumns: string[]) {
  const { preview: entries, hasMissing } = await prepareRecordEntries(item, table, {
    filesRemedy: 'Files cannot be compared. Leave the column out, and write files with Create or Update.',
  });
  return { key: formatInputKey(createMatchKey(matchColumns, entries, table)), entries, hasMissing };
}

/**
 * Reads the values and the key of each item.
 * @throws InputError that lists the items with an invalid value or without a key; no item is left out, because its
 *   record could then be deleted
 * @throws AbortedError after the run was cancelled
 */
export async function readInputs(items: Items, table: Table, matchColumns: string[]): Promise<SyncInput[]> {
  const inputs: SyncInput[] = [];
  let columns: string[] = [];
  const problems: Array<{ index: number; error: InputError }> = [];
  for await (const item of iterateInTurns(items)) {
    try {
      const { key, entries, hasMissing } = await readEntries(item, table, matchColumns);
      const names = entries.map(([name]) => name);
      columns = isEqual(columns, names) ? columns : names;
      const values = entries.map(([, value]) => value);
      inputs.push(new InputRow(item.index, key, columns, values, hasMissing));
    } catch (error) {
      if (!(error instanceof InputError) || error instanceof UnknownFieldError) throw asThrown(error);
      problems.push({ index: item.index, error });
    }
  }
  const [first] = problems;
  if (!first) return inputs;
  const texts = problems.map(({ index, error }) => `item ${index}: ${error.message}`);
  throw new InputError(
    `${problems.length} of ${items.length} items cannot be synced: ${joinFirst(texts, '; ')}`,
    `Nothing was sent. Correct these items, or remove them from the input. For item ${first.index}: ${first.error.remedy}`,
  );
}
