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
  memory,
  pageEndpoints,
  pdfPageEndpoints,
  parseNames,
  RequestCache,
} from '../../service';
import { type ParameterDefinition, defineLoadedList, createLoadOptions } from '../parameters/parameter';
import { getPickedId, type OptionsLoader } from './editorList';
import { createLocator } from './listPicker';

/** Finds the ID of the picked table, or of the table of the picked component or template; '' if nothing shows a table. */
export async function findPickedTable(context: ILoadOptionsFunctions, client: Client): Promise<string> {
  const tableId = getPickedId(context, 'dataTableId');
  const { mode } = asObject(context.getCurrentNodeParameter('dataTableId'));
  if (tableId && mode === 'name') return findTable(tableId, await listTables(client, { isFresh: true })).id;
  if (tableId) return tableId;
  const pageId = getPickedId(context, 'childPageId') || getPickedId(context, 'pageId');
  const componentId = getPickedId(context, 'componentId');
  if (pageId && componentId) return findComponentTable(client, pageId, componentId);
  for (const picker of TEMPLATE_PICKERS) {
    const id = getPickedId(context, picker);
    if (id) return findTemplateTable(client, picker, id);
  }
  return '';
}

const getTableIdCache = memory.attach<Client, RequestCache<string>>(
  'tableIds',
  { to: 'client', holds: 'the tables of components, and of the templates of imports, exports and PDF pages' },
  () => new RequestCache(),
);

/** Finds the ID of the table that a component shows (spec: Page, `table_id`); '' if the service does not return one. */
export const findComponentTable = (client: Client, pageId: string, componentId: string): Promise<string> =>
  getTableIdCache(client).get(`component ${pageId} ${componentId}`, async () => {
    const { items } = (await client.call(pageEndpoints.listComponents, { path: { pageId } })).body;
    return String(items.map(asObject).find(({ id }) => String(id) === componentId)?.table_id ?? '');
  });

/** The endpoints that return a template, by the name of its picker. The path parameter has the same name. */
const TEMPLATE_ENDPOINTS = {
  importId: importEndpoints.get,
  pdfPageId: pdfPageEndpoints.get,
  templateId: exportEndpoints.getTemplate,
};

type TemplatePicker = keyof typeof TEMPLATE_ENDPOINTS;

const TEMPLATE_PICKERS = Object.keys(TEMPLATE_ENDPOINTS) as TemplatePicker[];

/**
 * Finds the ID of the table that a template belongs to; '' if the service does not show it. The spec does not show the
 * fields of templates, so the ID is read from the keys that other entries have (spec: Export queue entry, Task, Component).
 * Open point: `templateTable`.
 */
export const findTemplateTable = (client: Client, picker: TemplatePicker, id: string): Promise<string> =>
  getTableIdCache(client).get(`${picker} ${id}`, async () => {
    const endpoint: Endpoint = TEMPLATE_ENDPOINTS[picker];
    const { body } = await client.call(endpoint, { path: { [picker]: id } });
    const { dataTable, dataTableId, data_table_id } = asObject(body);
    return String(asObject(dataTable).id ?? dataTableId ?? data_table_id ?? '');
  });

/** Creates a parameter with a list of fields of the picked table, of which several can be chosen. */
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

/** Creates the optional parameter Table. @param hint what an empty table means */
export const createOptionalTable = (description: string, hint = 'Empty: the table that the template names') =>
  ({ ...tableLocator, required: false, description, hint }) as const;

/** Reads the tables whose fields a form lists: the picked table, or the tables that a trigger listens to. */
export async function loadFormTables(context: ILoadOptionsFunctions, client: Client): Promise<Table[]> {
  const names = parseNames(context.getCurrentNodeParameter('tables'));
  const all = names.length > 0 ? await listTables(client) : [];
  const ids =
    names.length > 0
      ? names.map((name) => findTable(name, all).id)
      : compact([await findPickedTable(context, client)]);
  return Promise.all(ids.map((id) => getTable(client, id)));
}

/**
 * Creates a method that lists some fields of the tables of a form. A field is shown by its name and type, and also by its
 * slug if several fields have the same name. The list is empty while no table is picked.
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

/** Lists the unique fields of the picked table, for the option "Dedupe Field". */
export const getUniqueFields = createFieldLoader(({ unique }) => unique);

/**
 * Splits `table_id|field_id`, the value of Link to Parent. An expression may give the field alone. The field then belongs
 * to the table of the new record.
 */
export function parseParentField(option: string): { tableId: string; field: string } {
  const bar = option.indexOf('|');
  return { tableId: option.slice(0, Math.max(bar, 0)).trim(), field: option.slice(bar + 1).trim() };
}

/** Lists the connection fields of the picked table, and those of tables that connect to it (spec: Linked record creation). */
export const getParentFields: OptionsLoader = async (context, client) => {
  const ownId = await findPickedTable(context, client);
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

/** The value of the entry for all File fields. No slug contains this character. */
export const ALL_FILE_FIELDS = '*';

/** Lists the File fields of the picked table, after an entry for all File fields. */
export const getFileFields = createFieldLoader((field) => getKind(field).holdsFiles, {
  name: 'All File Fields',
  value: ALL_FILE_FIELDS,
});

/** Lists the Date-Time fields that an update can change, so a trigger can find updates by them. Created At is left out. */
export const getDateFields = createFieldLoader(
  (field) => getKind(field).findDay && field.slug !== 'created_at',
);

/** Pickers that are hidden until another picker has a value. */
const PARENT_PICKERS: Record<string, string> = { componentId: 'pageId' };

/**
 * Creates the condition that hides a parameter until the picker `parent` has a value. If `parent` itself depends on
 * another picker, the condition contains both: n8n still shows a parameter whose picker it hides.
 */
export function createPickedCondition(parent: string): IDisplayOptions {
  const before = PARENT_PICKERS[parent];
  return { hide: { ...(before !== undefined && { [before]: [''] }), [parent]: [''] } };
}

/**
 * Hides parameters until the picker `parent` has a value, because their lists are empty until then. Parameters with own
 * conditions stay unchanged: n8n hides them together with the parameter in their condition.
 */
export const hideUntilPicked = <P extends ParameterDefinition>(parent: string, parameters: P[]): P[] =>
  parameters.map((parameter) =>
    parameter.displayOptions ? parameter : { ...parameter, displayOptions: createPickedCondition(parent) },
  );
