/** Link to Parent: the option of a create, and its value. */
import { readConnectionNotation } from '../../../n8n/columns/columnForm';
import { parseParentField, tableLocator } from '../../../n8n/lists/tablePickers';
import type { Item } from '../../../n8n/operation/item';
import { defineLoadedChoice, defineParameter, createLoadOptions } from '../../../n8n/parameters/parameter';
import { type Field, recordExists, resolveConnection } from '../../../records';
import { formatForError, InputError, isBlank } from '../../../service';

/** The option that connects the new record to a parent (spec: Linked record creation). */
export const parentOption = defineParameter({
  displayName: 'Link to Parent',
  name: 'link',
  type: 'fixedCollection',
  default: {},
  placeholder: 'Add Parent',
  description: 'Connect a new record to a record of another table. Existing records stay as they are.',
  options: [
    {
      displayName: 'Parent',
      name: 'parent',
      values: [
        defineLoadedChoice({
          displayName: 'Connection Name or ID',
          name: 'field',
          typeOptions: createLoadOptions('getParentFields'),
          description: 'Field that connects the two tables, with the table that holds it.',
        }),
        {
          displayName: 'Parent Record ID',
          name: 'recordId',
          type: 'string',
          default: '',
          description:
            'The ID of the record to connect to, or its name if the connection field belongs to the table of the new record',
        },
      ],
    },
  ],
});

const PARENT_LINK_LABEL = 'Link to Parent';

async function findConnectionField(item: Item, tableId: string, name: string) {
  const own = await item.getTable(item.read(tableLocator));
  const chosen = tableId === '' ? own : await item.getTable(tableId);
  const field = chosen.requireField(name, PARENT_LINK_LABEL);
  if (field.connection) return { field, isOwn: chosen.id === own.id };
  throw new InputError(
    `${PARENT_LINK_LABEL}: "${field.name}" is not a connection field`,
    'Nothing was sent. Choose the field that connects the two tables. An expression must return the ID of its table, "|" and the ID of the field.',
  );
}

/**
 * Accepts only an ID. The connection field points from the parent to the new record, so its `join` (spec: Field, full)
 * says which field holds the names of the new records, and not which field holds those of the parents.
 */
async function ensureParentExists(item: Item, tableId: string, text: string): Promise<string> {
  if (await recordExists(item.client, tableId, text)) return text;
  throw new InputError(
    `${PARENT_LINK_LABEL}: the parent table has no record with the ID ${formatForError(text)}`,
    'Nothing was sent. Give the ID of the parent record. A name is possible only if the connection field belongs to the table of the new record.',
  );
}

/** Finds a parent by ID or name, if the connection field belongs to the table of the new record. */
async function findParentId(item: Item, field: Field, text: string): Promise<string> {
  const { records } = await resolveConnection(item.client, field, text, {
    notation: readConnectionNotation(item).notation,
    // No response shows whether the record was linked, so the parent is checked before the write.
    use: 'checkedWrite',
    isSingle: true,
  });
  const [record] = records;
  return record && 'id' in record ? record.id : text;
}

/** Values of the new record, with their keys in the request. `given`: the value before it was encoded. */
type NewRecordEntries = Array<[key: string, value: unknown, given?: unknown]>;

/**
 * Does not check whether the parent exists.
 * @throws InputError if the connection field or the ID is missing, or if the new record already has a value for the
 * connection: the service would store only one of the two values
 */
export async function readParentOption(item: Item, given: NewRecordEntries = []) {
  const [parent] = item.readOptionOrDefault(parentOption);
  if (!parent) return undefined;
  const { tableId, field: fieldName } = parseParentField(String(parent.field ?? '').trim());
  const text = String(parent.recordId ?? '').trim();
  if (!fieldName || !text) {
    throw new InputError(
      `${PARENT_LINK_LABEL}: the ${fieldName ? 'Parent Record ID' : 'Connection'} is missing`,
      'Choose both, or remove the option. An expression may have returned nothing.',
    );
  }
  const { field, isOwn } = await findConnectionField(item, tableId, fieldName);
  if (isOwn && given.some(([key, value]) => key === field.slug && ![value].flat().every(isBlank))) {
    throw new InputError(
      `${PARENT_LINK_LABEL}: "${field.name}" has a value among the fields too`,
      'Nothing was sent for this record. Give the connected record once: as a field, or under "Link to Parent". If it is the default of the field, turn off "Apply Field Defaults".',
    );
  }
  return { tableId, text, field, isOwn };
}

/**
 * Returns `connected_to` for the request that creates the record; undefined without the option.
 * @throws InputError as `readParentOption` does, and when the parent does not exist
 */
export async function findParentLink(item: Item, given: NewRecordEntries = []) {
  const link = await readParentOption(item, given);
  if (!link) return undefined;
  const { tableId, text, field, isOwn } = link;
  const record_id = await (isOwn ? findParentId(item, field, text) : ensureParentExists(item, tableId, text));
  return { join_type: 'joinTo', field_id: field.fieldId, record_id };
}
