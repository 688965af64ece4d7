import type { PayloadEntries } from '../../../client/fields/field';
import { InputError } from '../../../client/input/inputError';
import type { CreatedRecord } from '../../../client/responses/records';
import { ensureConnectionsStored } from '../../../client/update/writeRecord';
import { createColumnForm } from '../../../n8n/columns/columnForm';
import { checkRecordValues, readRecordEntries } from '../../../n8n/columns/recordEntries';
import { applyDefaultsOption, writeOptions } from '../../../n8n/columns/writeOptions';
import { tableLocator } from '../../../n8n/lists/tablePickers';
import type { Item } from '../../../n8n/operation/item';
import type { Operation } from '../../../n8n/operation/operation';
import { createOptions } from '../../../n8n/parameters/parameter';
import { createOnce, dedupeOption } from './dedupe';
import { createFormulaHeaders, createFormulaOption, returnsEquationLog } from './formulas';
import { linkOption, readLink } from './link';
import { toRecordOutputs, withAction } from './recordOutputs';

/** Creates the item's record and returns the body of the response. */
export async function createItemRecord(item: Item, entries: PayloadEntries): Promise<CreatedRecord> {
  const body = await item.client.records.create({
    tableId: item.read(tableLocator),
    entries,
    link: await readLink(item),
    showsEquations: returnsEquationLog(item),
    headers: createFormulaHeaders(item),
  });
  item.hasStarted = true;
  return body;
}

export const create: Operation = {
  name: 'create',
  displayName: 'Create',
  action: 'Create record',
  description: 'Create a record',
  makes: {
    noun: 'records',
    remedy:
      'Choose a unique field under "Dedupe Field Name or ID" in the options: a record that exists is then returned.',
    isSafe: (item) => item.readOption(dedupeOption) !== undefined,
  },
  writes: true,
  parameters: [
    tableLocator,
    ...createColumnForm('create'),
    createOptions(applyDefaultsOption, ...writeOptions, dedupeOption, createFormulaOption, linkOption),
  ],
  done: ['record', 'created'],
  async check(item) {
    checkRecordValues(item, await item.getTable(item.read(tableLocator)));
  },
  async run(item) {
    const table = await item.getTable(item.read(tableLocator));
    // A wrong link is an error before connected records are created.
    await readLink(item);
    const entries = await readRecordEntries(item, table, {
      withDefaults: item.readOption(applyDefaultsOption),
    });
    if (entries.length === 0) {
      throw new InputError(
        'Nothing to create: no column has a value',
        'Nothing was sent. Give at least one column a value. An expression may have returned nothing.',
      );
    }
    const { body, action } = await createOnce(item, table, entries, () => createItemRecord(item, entries));
    if (action !== 'found') {
      await item.client.records.verifyCreated(table, entries, body);
      ensureConnectionsStored(item.client, table, entries, body, { action: 'created' });
    }
    const outputs = toRecordOutputs(body);
    return action ? withAction(outputs, action) : outputs;
  },
};
