/** The methods that n8n's editor calls: lists, the columns of the mapper, the test of the credential. */
import { identity, isEmpty, mapValues, omitBy } from 'lodash';
import type {
  FieldType,
  ILoadOptionsFunctions,
  ResourceMapperField,
  ResourceMapperFields,
} from 'n8n-workflow';
import { type Field, getKind, getTable, listFormColumns, type Table } from '../records';
import { asObject, cutName, isObject, parseList, tryOr } from '../service';
import { matchesRecords } from './columns/columnForm';
import { getConnectedFields } from './columns/connectedFields';
import { getFilterChoices, getFilterFields, getFilterOperators } from './filter/filterLists';
import { recordDatabaseApiTest } from './http/port';
import { type EditorLoader, runForEditor } from './lists/editorList';
import { getChildPages, getTables, listSearchMethods } from './lists/listPicker';
import { searchRecords } from './lists/recordPicker';
import {
  findPickedTable,
  getDateFields,
  getFields,
  getFileFields,
  getParentFields,
  getUniqueFields,
} from './lists/tablePickers';
import { isToolNode } from './parameters/parameter';

type MappedColumn = ReturnType<typeof listFormColumns>[number];

/** Labels a File column for the form of a tool, where it takes only an address: n8n gives a tool no file. */
function labelForTool(column: MappedColumn): MappedColumn {
  const { holdsFiles } = getKind(column.field);
  if (!holdsFiles) return column;
  return { ...column, label: `${column.field.name} (${holdsFiles === 'one' ? 'URL' : 'URLs'})` };
}

/** Operations in which a new record gets the default of a field without a value (`applyDefaults`). */
const CREATING_OPERATIONS = ['create', 'upsert', 'sync'];

/** Returns the label of a column, with the default of the field if a new record gets the default. */
function toLabel({ label, type, preset, field }: MappedColumn, operation: string): string {
  if (preset === undefined || !CREATING_OPERATIONS.includes(operation)) return label;
  const shown = type === 'boolean' ? (preset === '1' ? 'Yes' : 'No') : cutName(preset);
  // The default already shows what to type. With the default and the format, the form would cut the label.
  return `${label.startsWith(`${field.name} (`) ? field.name : label}, default ${shown}`;
}

const YES_OR_NO = [
  { name: 'Yes', value: 'true' },
  { name: 'No', value: 'false' },
];

/** Returns the input of a column. A Decision Box is a list with a blank choice, because a switch always has a value. */
function toInput({ type, options }: MappedColumn): Pick<ResourceMapperField, 'type' | 'options'> {
  if (type === 'boolean') return { type: 'options', options: YES_OR_NO };
  return options ? { type: type as FieldType, options } : { type: type as FieldType };
}

const toMapperField = (column: MappedColumn, operation: string): ResourceMapperField => ({
  id: column.key,
  displayName: toLabel(column, operation),
  ...toInput(column),
  required: false,
  display: true,
  // n8n moves columns with `defaultMatch` to the top.
  defaultMatch: matchesRecords(operation) && column.field.unique,
  canBeUsedToMatch: getKind(column.field).isMatchable,
});

/**
 * Returns an input for each mapped value that has no column: of a field that was renamed or removed, or that is mapped by
 * its name. When n8n's editor stores the columns that a node returns, it silently removes the values of all other columns
 * (ResourceMapper.vue, `pruneParamValues`). `value` lacks expressions without a result, so the stored columns are kept too,
 * without those that the user removed.
 */
function keepMappedColumns(
  columns: unknown,
  table: Table,
  offered: Field[],
  listed: ResourceMapperField[],
): ResourceMapperField[] {
  const { value, schema, matchingColumns } = asObject(columns);
  const findField = (key: string) => tryOr(() => table.find(key)?.field, undefined);
  const isOffered = (field?: Field) => field !== undefined && offered.includes(field);
  // Of fields that only another operation of the node offers, the values are kept, but not the columns.
  const stored = parseList(schema)
    .map(asObject)
    .filter(({ removed }) => removed !== true)
    .map(({ id }) => String(id))
    .filter((key) => findField(key) === undefined || isOffered(findField(key)));
  const ids = new Set(listed.map(({ id }) => id));
  const kept = new Set([...Object.keys(asObject(value)), ...stored].filter((key) => !ids.has(key)));
  return [...kept].map((id) => ({
    id,
    displayName: `${cutName(id)} (${isOffered(findField(id)) ? 'mapped by its name' : 'no longer in this form'})`,
    type: 'string',
    required: false,
    display: true,
    defaultMatch: false,
    canBeUsedToMatch: parseList(matchingColumns).includes(id),
  }));
}

/**
 * Returns the columns of the selected table with typed inputs: columns that can be written, or by which a record can be
 * looked up. A composite field has a column for each part.
 */
const getColumns: EditorLoader<ResourceMapperFields> = async (context, client) => {
  const tableId = await findPickedTable(context, client);
  if (!tableId) return { fields: [] };
  const operation = String(context.getCurrentNodeParameter('operation'));
  const table = await getTable(client, tableId);
  const { fields, writableFields } = table;
  // A record can be found by values that the service maintains, such as an Auto Increment.
  const offered =
    operation === 'lookUp' ? fields.filter((field) => getKind(field).isMatchable) : writableFields;
  const toLabelled = isToolNode(context.getNode()) ? labelForTool : identity<MappedColumn>;
  // A look-up starts with the unique field. Other fields can be added.
  const columns = context.getCurrentNodeParameter('columns');
  const unique = offered.find((field) => field.unique);
  const isAtStart = operation === 'lookUp' && isEmpty(asObject(columns).value);
  const isHidden = ({ field }: MappedColumn) => isAtStart && field !== unique;
  const listed = listFormColumns(offered)
    .map(toLabelled)
    .map((column) => ({
      ...toMapperField(column, operation),
      ...(isHidden(column) && { removed: true }),
    }));
  return {
    fields: [...listed, ...keepMappedColumns(columns, table, offered, listed)],
  };
};

/**
 * Whether n8n would evaluate a value: it treats every stored text that begins with "=" as an expression, at any depth of a
 * parameter.
 */
const isExpression = (value: unknown): boolean => typeof value === 'string' && value.startsWith('=');

/** Whether n8n would evaluate the value of an option or column. A list must not offer such an entry. */
const hasExpressionValue = (entry: unknown): boolean =>
  isObject(entry) && (isExpression(entry.value) || isExpression(entry.id));

/**
 * Removes expressions from options and columns before the editor stores them. The texts come from the service, so
 * the designer of the application could add an expression that reads the workflow's data. Entries whose value is
 * an expression and default values that are expressions are removed. Any other text that begins with "=" gets a
 * leading apostrophe.
 */
export function removeExpressions(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((entry) => !hasExpressionValue(entry)).map(removeExpressions);
  if (isObject(value)) {
    const isLeftOut = (property: unknown, key: string) => key === 'defaultValue' && isExpression(property);
    return mapValues(omitBy(value, isLeftOut), removeExpressions);
  }
  return isExpression(value) ? `'${String(value)}` : value;
}

/** Creates the methods that n8n's editor calls. Their results contain no expressions. */
const createMethods = <R>(loads: Record<string, EditorLoader<R>>) =>
  mapValues(
    loads,
    (load) =>
      async function (this: ILoadOptionsFunctions, filter?: string, page?: string): Promise<R> {
        return removeExpressions(await runForEditor(this, (client) => load(this, client, filter, page))) as R;
      },
  );

export const nodeMethods = {
  credentialTest: { recordDatabaseApiTest },
  listSearch: createMethods({ searchRecords, ...listSearchMethods }),
  loadOptions: createMethods({
    getParentFields,
    getFields,
    getConnectedFields,
    getDateFields,
    getFileFields,
    getTables,
    getFilterChoices,
    getFilterFields,
    getFilterOperators,
    getUniqueFields,
    getChildPages,
  }),
  resourceMapping: createMethods({ getColumns }),
};
