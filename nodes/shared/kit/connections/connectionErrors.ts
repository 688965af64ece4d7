import type { Field } from '../../model/fields';
import { formatForError, InputError, joinFirst } from '../../model/input/inputError';
import type { Client } from '../../transport/client';
import { fetchTableName } from './connectedTable';
import type { NameLookup } from './nameLookup';

/** Names the connection, the text, the table and similar names. `canBeCreated`: the form has an option for it. */
export async function createNotFoundError(
  client: Client,
  field: Field,
  text: string,
  { lookup, canBeCreated }: { lookup?: NameLookup; canBeCreated: boolean },
): Promise<InputError> {
  const table = await fetchTableName(client, field.connection?.tableId ?? '');
  const similar = (await lookup?.suggest(text)) ?? [];
  const hint = similar.length > 0 ? ` Did you mean ${similar.map(formatForError).join(' or ')}?` : '';
  const remedy = canBeCreated
    ? 'Correct the text, create the record first, or turn on "Create Connected Records".'
    : 'Correct the text, or create the record first.';
  return new InputError(
    `"${field.name}": ${table} has no record ${formatForError(text)}`,
    `No record has this text as its ID or as its "${lookup?.target.nameField.name ?? 'name'}".${hint} Nothing was sent. ${remedy}`,
  );
}

/** Lists the records with the same name. */
export async function createAmbiguousError(
  client: Client,
  field: Field,
  text: string,
  ids: string[],
): Promise<InputError> {
  const table = await fetchTableName(client, field.connection?.tableId ?? '');
  return new InputError(
    `"${field.name}": ${ids.length} records of ${table} have the name ${formatForError(text)}`,
    `Nothing was sent. Give the ID of one of them: ${joinFirst(ids)}.`,
  );
}
