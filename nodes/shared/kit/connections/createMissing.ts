import { recordEndpoints } from '../../model/endpoints/records';
import { encodeValue, type Field } from '../../model/fields';
import { asThrown } from '../../model/input/asThrown';
import { formatForError } from '../../model/input/inputError';
import { findAfterLostResponse } from '../../transport/concurrency/findWithPauses';
import { KeyedQueue } from '../../transport/concurrency/keyedQueue';
import { ApiError } from '../../transport/errors/apiError';
import { toRequestBody } from '../columns/requestBody';
import type { Item } from '../operation/item';
import { fetchTableName } from './connectedTable';
import type { NameLookup } from './nameLookup';

/** Creates of one name run one after the other, across all executions of this process. */
const creations = new KeyedQueue();

async function sendCreate(item: Item, { target }: NameLookup, name: string): Promise<string> {
  const entries = encodeValue(name, target.nameField, { timeZone: item.timeZone });
  const { body } = await item.client.call(recordEndpoints.create, {
    path: { dataTableId: target.table.id },
    body: toRequestBody(entries),
  });
  return body.item.id;
}

/** Names the connection and the record in the error of a create. */
async function explainFailedCreate(
  item: Item,
  field: Field,
  lookup: NameLookup,
  name: string,
  error: unknown,
) {
  if (!(error instanceof ApiError)) return error;
  const table = await fetchTableName(item.client, lookup.target.table.id);
  return error.withExplanation({
    message: `"${field.name}": the missing record ${formatForError(name)} was not created in ${table} (${error.message})`,
    description: `The record of this item was not written. ${error.explanation.description}`,
  });
}

/**
 * Creates the record of a name in the connected table, and returns its ID. Items that need the same name at the same
 * time share one record: each looks the name up again before it creates.
 * @throws ApiError when the create fails; the record of the item is not written then
 */
export async function createMissingRecord(item: Item, field: Field, lookup: NameLookup, name: string) {
  const { baseUrl, appId } = item.client.credential;
  const key = JSON.stringify([baseUrl, appId, lookup.target.table.id, name]);
  return creations.run(key, async () => {
    const [known] = (await lookup.find([name])).get(name) ?? [];
    const [existing] = known === undefined ? await lookup.findAnew(name) : [known];
    if (existing !== undefined) return existing;
    const find = async () => (await lookup.findAnew(name))[0];
    const id = await sendCreate(item, lookup, name)
      .catch((error: unknown) => findAfterLostResponse(error, find, item.cancelSignal))
      .catch(async (error: unknown) => {
        throw asThrown(await explainFailedCreate(item, field, lookup, name, error));
      });
    await lookup.remember(name, id);
    item.noteEffect(`Created the record ${formatForError(name)} (${id}) for "${field.name}".`);
    return id;
  });
}
