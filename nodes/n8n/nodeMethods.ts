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
import { matchesByFields } from './columns/columnForm';
import { getConnectedFields } from './columns/connectedFields';
import { getFilterChoices, getFilterFields, getFilterOperators } from './filter/filterLists';
import { recordDatabaseApiTest } from './http/port';
import { type EditorLoader, runForEditor } from './lists/editorList';
import { getChildPages, getTables, searchMethods } from './lists/listPicker';
import { searchRecords } from './lists/recordPicker';
import {
  getPickedTableId,
  getDateFields,
  getFields,
  getFileFields,
  getParentFields,
  getUniqueFields,
} from './lists/tablePickers';
import { isToolNode } from './parameters/parameter';

type MappedColumn = ReturnType<typeof listFormColumns>[number];

/** Labels a File column of a tool with "(URL)": n8n gives a tool no files, so the column takes only addresses. */
function labelFileColumn(column: MappedColumn): MappedColumn {
  const { holdsFiles } = getKind(column.field);
  if (!holdsFiles) return column;
  return { ...column, label: `${column.field.name} (${holdsFiles === 'one' ? 'URL' : 'URLs'})` };
}

/** Operations whose columns show the defaults of the fields, because a new record gets these defaults. */
const CREATING_OPERATIONS = ['create', 'upsert', 'sync'];

function toColumnLabel({ label, type, preset, field }: MappedColumn, operation: string): string {
  if (preset === undefined || !CREATING_OPERATIONS.includes(operation)) return label;
  const shown = type === 'boolean' ? (preset === '1' ? 'Yes' : 'No') : cutName(preset);
  // The default replaces the format in the label, because it shows what to type. Both would be too long.
  return `${label.startsWith(`${field.name} (`) ? field.name : label}, default ${shown}`;
}

const YES_NO_OPTIONS = [
  { name: 'Yes', value: 'true' },
  { name: 'No', value: 'false' },
];

/** Shows a Decision Box as a list, which can stay blank. A switch would always have a value. */
function toMapperInput({ type, options }: MappedColumn): Pick<ResourceMapperField, 'type' | 'options'> {
  if (type === 'boolean') return { type: 'options', options: YES_NO_OPTIONS };
  return options ? { type: type as FieldType, options } : { type: type as FieldType };
}

const toMapperField = (column: MappedColumn, operation: string): ResourceMapperField => ({
  id: column.key,
  displayName: toColumnLabel(column, operation),
  ...toMapperInput(column),
  required: false,
  display: true,
  // n8n moves columns with `defaultMatch` to the top, so unique fields come first.
  defaultMatch: matchesByFields(operation) && column.field.unique,
  canBeUsedToMatch: getKind(column.field).isMatchable,
});

/**
 * Creates columns for mapped values that have no column in the form: the field was renamed or removed, or the
 * value is mapped by the name of the field. n8n's editor silently removes a value without a column
 * (ResourceMapper.vue, `pruneParamValues`). The columns in `schema` count as mapped too: n8n leaves an
 * expression without a result out of `value`. Columns that the user removed are not returned.
 */
function createMissingColumns(
  columns: unknown,
  table: Table,
  offered: Field[],
  listed: ResourceMapperField[],
): ResourceMapperField[] {
  const { value, schema, matchingColumns } = asObject(columns);
  const findField = (key: string) => tryOr(() => table.findRef(key)?.field, undefined);
  const isOffered = (field?: Field) => field !== undefined && offered.includes(field);
  // A stored column without a value is left out if this operation does not offer its field.
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

/** Lists the columns that can be written, or for Look Up the columns that can identify a record. */
const getColumns: EditorLoader<ResourceMapperFields> = async (context, client) => {
  const tableId = await getPickedTableId(context, client);
  if (!tableId) return { fields: [] };
  const operation = String(context.getCurrentNodeParameter('operation'));
  const table = await getTable(client, tableId);
  const { fields, writableFields } = table;
  // Look Up can find a record by a value that the service sets itself, such as an Auto Increment.
  const offered =
    operation === 'lookUp' ? fields.filter((field) => getKind(field).isMatchable) : writableFields;
  const toLabelled = isToolNode(context.getNode()) ? labelFileColumn : identity<MappedColumn>;
  // The form of Look Up starts with one unique field. The user can add the other fields.
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
    fields: [...listed, ...createMissingColumns(columns, table, offered, listed)],
  };
};

/** n8n treats every stored text that begins with "=" as an expression, at any depth. */
const isExpression = (value: unknown): boolean => typeof value === 'string' && value.startsWith('=');

/** Whether an option or column has an expression as its value or ID. */
const hasExpressionValue = (entry: unknown): boolean =>
  isObject(entry) && (isExpression(entry.value) || isExpression(entry.id));

/**
 * Removes options, columns and defaults that are expressions, and puts an apostrophe before any other text that
 * begins with "=". n8n's editor stores the options and columns that it loads: the designer of the application
 * could have put an expression into them that reads the workflow's data.
 */
export function removeExpressions(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((entry) => !hasExpressionValue(entry)).map(removeExpressions);
  if (isObject(value)) {
    const isLeftOut = (property: unknown, key: string) => key === 'defaultValue' && isExpression(property);
    return mapValues(omitBy(value, isLeftOut), removeExpressions);
  }
  return isExpression(value) ? `'${String(value)}` : value;
}

const createEditorMethods = <R>(loads: Record<string, EditorLoader<R>>) =>
  mapValues(
    loads,
    (load) =>
      async function (this: ILoadOptionsFunctions, filter?: string, page?: string): Promise<R> {
        return removeExpressions(await runForEditor(this, (client) => load(this, client, filter, page))) as R;
      },
  );

export const nodeMethods = {
  credentialTest: { recordDatabaseApiTest },
  listSearch: createEditorMethods({ searchRecords, ...searchMethods }),
  loadOptions: createEditorMethods({
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
  resourceMapping: createEditorMethods({ getColumns }),
};
