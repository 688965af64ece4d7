import type { IDataObject } from 'n8n-workflow';
import { recordEndpoints } from '../../../client/endpoints/catalogue';
import type { PayloadEntries } from '../../../client/fields/field';
import type { CreatedRecord } from '../../../client/responses/records';
import { ensureConnectionsStored } from '../../../n8n/columns/changeConnections';
import { createColumnForm } from '../../../n8n/columns/columnForm';
import { readRecordEntries } from '../../../n8n/columns/recordEntries';
import { toRequestBody } from '../../../n8n/columns/requestBody';
import { verifyCreated } from '../../../n8n/columns/update';
import { applyDefaultsOption, writeOptions } from '../../../n8n/columns/writeOptions';
import { tableLocator } from '../../../n8n/lists/tablePickers';
import type { Item } from '../../../n8n/operation/item';
import { withLookupEndpoints } from '../../../n8n/operation/lookupEndpoints';
import type { Operation } from '../../../n8n/operation/operation';
import { recordOutput } from '../../../n8n/operation/outputs';
import { createOptions, defineParameter } from '../../../n8n/parameters/parameter';
import { createOnce, dedupeOption } from './dedupe';
import { createFormulaHeaders, formulaOptions } from './formulas';
import { linkOption, readLink } from './link';
import { toRecordOutputs, withAction } from './recordOutputs';

const equationLogOption = defineParameter({
  displayName: 'Return Equation Log',
  name: 'equationLog',
  type: 'boolean',
  default: true,
  description: 'Whether the output shows how each formula was calculated, under "equationLog"',
});

/**
 * Adds the link to a payload. `connected_to` is an object in JSON, and one key `connected_to[…]` for each part in
 * multipart form data.
 */
function buildCreateBody(entries: PayloadEntries, link: IDataObject | undefined): IDataObject | FormData {
  const body = toRequestBody(entries);
  if (!(body instanceof FormData)) return link ? { ...body, connected_to: link } : body;
  for (const [key, value] of Object.entries(link ?? {})) body.append(`connected_to[${key}]`, String(value));
  return body;
}

/** Creates one record and returns the body of the response. */
export async function createRecord(item: Item, entries: PayloadEntries): Promise<CreatedRecord> {
  const response = await item.client.call(recordEndpoints.create, {
    path: { dataTableId: item.read(tableLocator) },
    query: item.readOption(equationLogOption) ? { showequationlog: true } : undefined,
    headers: createFormulaHeaders(item),
    body: buildCreateBody(entries, await readLink(item)),
  });
  item.hasStarted = true;
  return response.body;
}

export const create: Operation = {
  name: 'create',
  displayName: 'Create',
  action: 'Create record',
  description: 'Create a record',
  output: recordOutput,
  makes: {
    noun: 'records',
    remedy:
      'Choose a unique field under "Dedupe Field Name or ID" in the options: a record that exists is then returned.',
    isSafe: (item) => item.readOption(dedupeOption) !== undefined,
  },
  endpoints: withLookupEndpoints(recordEndpoints.create),
  parameters: [
    tableLocator,
    ...createColumnForm('create'),
    createOptions(
      ...writeOptions,
      ...formulaOptions,
      applyDefaultsOption,
      dedupeOption,
      equationLogOption,
      linkOption,
    ),
  ],
  async run(item) {
    const table = await item.getTable(item.read(tableLocator));
    // A wrong link is an error before connected records are created.
    await readLink(item);
    const entries = await readRecordEntries(item, table, {
      withDefaults: item.readOption(applyDefaultsOption),
    });
    const { body, action } = await createOnce(item, table, entries, () => createRecord(item, entries));
    if (action !== 'found') {
      await verifyCreated(item, table, entries, body);
      ensureConnectionsStored(item, table, entries, body, { action: 'created' });
    }
    const outputs = toRecordOutputs(body);
    return action ? withAction(outputs, action) : outputs;
  },
};
