import { isEqual, zip } from 'lodash';
import type { PayloadEntries, PayloadValue } from '../../../client/fields/field';
import { type Table, UnknownFieldError } from '../../../client/fields/table';
import { InputError, asThrown, joinFirst } from '../../../client/input/inputError';
import { createMatchKey } from '../../../client/records/upsert';
import type { SyncInput } from '../../../client/sync/planSync';
import { formatInputKey } from '../../../client/sync/syncTable';
import { prepareRecordEntries } from '../../../n8n/columns/recordEntries';
import { iterateInTurns } from '../../../n8n/operation/checkForm';
import type { Item, Items } from '../../../n8n/operation/item';

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
