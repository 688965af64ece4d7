/** The picker of a table, and the lists of its fields. */
import { compact, uniqBy } from 'lodash';
import type { IDisplayOptions, ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { findTable, listTables, type Field, getKind, getTable, labelFields, type Table } from '../../records';
import {
  asObject,
  type Client,
  type Endpoint,
  exportEndpoints,
  importEndpoints,
  InputError,
  memory,
  pageEndpoints,
  pdfPageEndpoints,
  parseNames,
  RequestCache,
} from '../../service';
import type { Item } from '../operation/item';
import { type ParameterDefinition, defineLoadedList, createLoadOptions } from '../parameters/parameter';
import { getPickedId, type OptionsLoader } from './editorList';
import { createLocator } from './listPicker';

/** Returns the ID of the picked table, or of the picked component's or template's table; '' for none. */
export async function getPickedTableId(context: ILoadOptionsFunctions, client: Client): Promise<string> {
  const tableId = getPickedId(context, 'dataTableId');
  const { mode } = asObject(context.getCurrentNodeParameter('dataTableId'));
  if (tableId && mode === 'name') return findTable(tableId, await listTables(client, { isFresh: true })).id;
  if (tableId) return tableId;
  const pageId = getPickedId(context, 'childPageId') || getPickedId(context, 'pageId');
  const componentId = getPickedId(context, 'componentId');
  if (pageId && componentId) return getComponentTableId(client, pageId, componentId);
  for (const picker of TEMPLATE_PICKERS) {
    const id = getPickedId(context, picker);
    if (id) return getTemplateTableId(client, picker, id);
  }
  return '';
}

const getTableIdCache = memory.attach<Client, RequestCache<string>>(
  'tableIds',
  { to: 'client', holds: 'the tables of components, and of the templates of imports, exports and PDF pages' },
  () => new RequestCache(),
);

/** Returns the ID of the table that a component shows (spec: Page, `table_id`), or '' if there is none. */
export const getComponentTableId = (client: Client, pageId: string, componentId: string): Promise<string> =>
  getTableIdCache(client).get(`component ${pageId} ${componentId}`, async () => {
    const { items } = (await client.call(pageEndpoints.listComponents, { path: { pageId } })).body;
    return String(items.map(asObject).find(({ id }) => String(id) === componentId)?.table_id ?? '');
  });

/** The endpoint of each kind of template, by the name of its picker and path parameter. */
const TEMPLATE_ENDPOINTS = {
  importId: importEndpoints.get,
  pdfPageId: pdfPageEndpoints.get,
  templateId: exportEndpoints.getTemplate,
};

type TemplatePicker = keyof typeof TEMPLATE_ENDPOINTS;

const TEMPLATE_PICKERS = Object.keys(TEMPLATE_ENDPOINTS) as TemplatePicker[];

/**
 * Returns '' if a template does not contain its table. The spec does not show the keys of templates, so keys
 * of other entries are tried (spec: Export queue entry, Task, Component). See silences.md: `templateTable`.
 */
const getTemplateTableId = (client: Client, picker: TemplatePicker, id: string): Promise<string> =>
  getTableIdCache(client).get(`${picker} ${id}`, async () => {
    const endpoint: Endpoint = TEMPLATE_ENDPOINTS[picker];
    const { body } = await client.call(endpoint, { path: { [picker]: id } });
    const { dataTable, dataTableId, data_table_id } = asObject(body);
    return String(asObject(dataTable).id ?? dataTableId ?? data_table_id ?? '');
  });

/** Creates a parameter for several fields of the picked table. */
export const defineFieldList = <const N extends string>(name: N, displayName: string, description: string) =>
  defineLoadedList({
    displayName,
    name,
    typeOptions: createLoadOptions('getFields'),
    description,
  });

export const tableLocator = createLocator('Tables', 'Table', 'dataTableId', 'The data table to work with', {
  modes: [{ displayName: 'By Name', name: 'name', type: 'string', placeholder: 'e.g. Customers' }],
});

/** @param hint what it means if no table is picked */
export const createOptionalTable = (description: string, hint = 'Empty: the table that the template names') =>
  ({ ...tableLocator, required: false, description, hint }) as const;

/**
 * Reads the table of the template, or of the form if the template names none. Requests the fields anew.
 * @throws InputError if no table is picked either
 */
export async function readTemplateTable(
  item: Item,
  picker: TemplatePicker,
  templateId: string,
  optionalTable: ReturnType<typeof createOptionalTable>,
): Promise<Table> {
  const id = (await getTemplateTableId(item.client, picker, templateId)) || item.read(optionalTable);
  if (id) return item.getTable(id, { isFresh: true });
  throw new InputError(
    'The template does not name its table, by whose fields the values are checked',
    'Nothing was sent. Pick the table of the template under "Table".',
  );
}

/** Reads the picked table, or the tables that a trigger listens to. */
export async function loadFormTables(context: ILoadOptionsFunctions, client: Client): Promise<Table[]> {
  const names = parseNames(context.getCurrentNodeParameter('tables'));
  const all = names.length > 0 ? await listTables(client) : [];
  const ids =
    names.length > 0
      ? names.map((name) => findTable(name, all).id)
      : compact([await getPickedTableId(context, client)]);
  return Promise.all(ids.map((id) => getTable(client, id)));
}

/**
 * Lists fields of the picked table. A field is shown with its slug if several fields have its name. Without a
 * table, the list is empty.
 * @param first options that are shown before the fields
 */
const createFieldLoader =
  (belongs: (field: Field) => unknown, ...first: INodePropertyOptions[]): OptionsLoader =>
  async (context, client) => {
    const tables = await loadFormTables(context, client);
    const all = tables.flatMap(({ fields }) => fields);
    const listed = labelFields(uniqBy(all, 'slug').filter(belongs));
    const options = listed.map(({ field, typedLabel }) => ({ name: typedLabel, value: field.slug }));
    return tables.length === 0 ? [] : [...first, ...options];
  };

export const getFields = createFieldLoader(() => true);

export const getUniqueFields = createFieldLoader(({ unique }) => unique);

/**
 * Splits `table_id|field_id`, the value of Link to Parent. If the value names no table, the field belongs to
 * the new record's table.
 */
export function parseParentField(option: string): { tableId: string; field: string } {
  const bar = option.indexOf('|');
  return { tableId: option.slice(0, Math.max(bar, 0)).trim(), field: option.slice(bar + 1).trim() };
}

/** Lists the connections of the picked table, and those that lead to it (spec: Linked record creation). */
export const getParentFields: OptionsLoader = async (context, client) => {
  const ownId = await getPickedTableId(context, client);
  if (!ownId) return [];
  const tables = await listTables(client, { isFresh: true });
  const found = await Promise.all(
    tables.map(async ({ id, name }) => {
      const { fields } = await getTable(client, id);
      const isParent = ({ connection }: Field) =>
        connection !== undefined && (id === ownId || (connection.tableId ?? ownId) === ownId);
      return fields.filter(isParent).map((field) => ({
        name: `${name}: ${field.name}`,
        value: `${id}|${field.fieldId}`,
      }));
    }),
  );
  return found.flat().sort((a, b) => a.name.localeCompare(b.name));
};

/** Stands for all File fields, because no slug contains this character. */
export const ALL_FILE_FIELDS = '*';

export const getFileFields = createFieldLoader((field) => getKind(field).holdsFiles, {
  name: 'All File Fields',
  value: ALL_FILE_FIELDS,
});

/** Lists the Date-Time fields that an update can change, so that a trigger can find updates by them. */
export const getDateFields = createFieldLoader(
  (field) => getKind(field).findDay && field.slug !== 'created_at',
);

/**
 * Creates the condition that `parent` has a value. If `parent` itself is hidden until another picker has a
 * value, the condition needs both pickers: n8n still shows a parameter if only its picker is hidden.
 */
export function createPickedCondition(parent: string): IDisplayOptions {
  return { hide: { ...(parent === 'componentId' && { pageId: [''] }), [parent]: [''] } };
}

/**
 * Hides parameters until the picker `parent` has a value, because their lists are empty until then. A
 * parameter with its own condition is not changed, because n8n hides it together with the parameter in its
 * condition.
 */
export const hideUntilPicked = <P extends ParameterDefinition>(parent: string, parameters: P[]): P[] =>
  parameters.map((parameter) =>
    parameter.displayOptions ? parameter : { ...parameter, displayOptions: createPickedCondition(parent) },
  );
