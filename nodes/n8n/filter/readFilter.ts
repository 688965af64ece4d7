/** Reads the filter of the form. */
import {
  ALL_RECORDS_REMEDY,
  buildRecordFilter,
  type FilterGroup,
  type FilterTree,
  formatFilterExample,
  getKind,
  parseFilterJson,
  selectBatchRecords,
  selectRecords,
  type Table,
  UnknownFieldError,
} from '../../records';
import { asThrown, formatForError, InputError, parseJson } from '../../service';
import type { Item } from '../operation/item';
import { type ParameterReader, type ParameterValue, parseParameter } from '../parameters/parameter';
import {
  conditionsParameter,
  conditionGroupsParameter,
  filterJsonParameter,
  mustMatchParameter,
  filterModeParameter,
  baseFilterParametersOption,
  LIST_OPERATORS,
  PERIOD_OPERATORS,
  RANGE_OPERATORS,
  toolFilterParameter,
} from './filterForm';
import { parseFieldOption } from './filterLists';

type ConditionRow = ParameterValue<typeof conditionsParameter>[number];

/** Finds the value of the input that the form shows: a row has no values of hidden inputs. */
const findFirstValue = (...inputs: unknown[]) =>
  inputs.find((one) => one !== undefined && one !== '' && one !== null);

function readConditionValue(row: ConditionRow): unknown {
  const operator = String(row.operator);
  if (PERIOD_OPERATORS.includes(operator)) return { period: row.period, amount: row.amount, unit: row.unit };
  if (RANGE_OPERATORS.includes(operator)) {
    const from = findFirstValue(row.timeFrom, row.dateValue, row.numberValue);
    const to = findFirstValue(row.timeTo, row.dateTo, row.numberTo);
    // An expression can return both ends of the range in one value.
    return from === undefined && to === undefined ? row.value : { from, to };
  }
  // `checkedValue` and `filledValue` have defaults, so they are read only for a field of their kind. If an
  // expression returns a field without a kind, the form shows all inputs.
  const { kind } = parseFieldOption(row.field);
  const input = kind && getKind({ kind }).filterInput;
  if (input === 'checked' && 'checkedValue' in row) return row.checkedValue;
  if (input === 'filled' && 'filledValue' in row) return row.filledValue;
  const one = findFirstValue(row.value, row.choiceValue, row.dateValue, row.numberValue);
  if (LIST_OPERATORS.includes(operator))
    return findFirstValue(row.value, row.numberValues, row.choiceValues) ?? one;
  return one;
}

const readCondition = (row: ConditionRow): FilterTree['conditions'][number] => {
  const field = parseFieldOption(row.field).id;
  if (field === '') {
    throw new InputError(
      'Filter: a condition has no field',
      'Choose the field from the list, or remove the condition.',
    );
  }
  const operator = 'operator' in row ? row.operator : 'is';
  if (typeof operator === 'string') return { field, operator, value: readConditionValue(row) };
  throw new InputError(
    `Filter: the operator of "${field}" cannot be ${formatForError(operator)}`,
    'Choose it from the list. An expression may have returned nothing.',
  );
};

/** Whether a row has neither a field nor a value. The form starts with one such row. */
const isBlankRow = (row: ConditionRow): boolean =>
  findFirstValue(row.field, readConditionValue(row)) === undefined;

const createFilterTree = (match: 'all' | 'any', rows: ConditionRow[]): FilterTree => ({
  match,
  conditions: rows.map(readCondition),
  groups: [],
});

/**
 * A group without `match` requires all its conditions.
 * @throws InputError if an expression for `match` returns nothing: a default could change the filter
 * @throws InputError for a group without a condition: without the group, more records would match
 */
function readGroupRow(row: ParameterValue<typeof conditionGroupsParameter>[number]): FilterTree {
  const match = 'match' in row ? row.match : mustMatchParameter.default;
  const rows = parseParameter(conditionsParameter, { value: row.conditions });
  if (rows.length > 0) return createFilterTree(parseParameter(mustMatchParameter, { value: match }), rows);
  throw new InputError(
    'Filter: a group has no condition',
    'Nothing was sent. Add a condition to it, or remove the group.',
  );
}

/** Whether the form has only its first empty row. An expression that returns nothing counts as a change. */
const isFormUnchanged = (reader: ParameterReader, rows: ConditionRow[]): boolean =>
  rows.length === 1 &&
  rows.every(isBlankRow) &&
  !['field', 'value'].some((input) => reader.isExpression(['conditions', 'items', '0', input]));

/** @throws InputError for a filter without a condition, which would match every record */
function requireCondition(tree: FilterTree | undefined): FilterTree {
  if (tree && tree.conditions.length + tree.groups.length > 0) return tree;
  throw new InputError(
    'The filter has no condition: it would match every record',
    `Nothing was sent. Add a condition. ${ALL_RECORDS_REMEDY} In the form, choose "Created At" and "Is Not Blank".`,
  );
}

/** Reads the values that replace $1, $2 and so on. @throws InputError for anything but a JSON array */
function readFilterParameters(reader: ParameterReader): unknown[] {
  const given = reader.readOptionOrDefault(baseFilterParametersOption);
  const list = typeof given === 'string' ? parseJson(given.trim() || '[]') : given;
  if (Array.isArray(list)) return list;
  throw new InputError(
    `Filter Parameters cannot be ${formatForError(given)}`,
    'Give a JSON array such as ["Open", 100].',
  );
}

/** Only the word "all" means all records. An empty filter does not: an expression may have found nothing. */
const isAllWord = (input: unknown): boolean =>
  typeof input === 'string' && /^["'\s]*all["'\s]*$/i.test(input);

const readFilterMode = (reader: ParameterReader) =>
  reader.isTool ? 'json' : reader.read(filterModeParameter);

const readFilterJson = (reader: ParameterReader): unknown =>
  reader.isTool ? reader.read(toolFilterParameter) : reader.read(filterJsonParameter);

interface FilterOptions {
  /** Whether an empty form also means all records, as for operations that change nothing. */
  emptyMeansAll?: boolean;
  /** The table whose fields are shown in the error for a JSON filter. */
  table?: Table;
}

export function hasFilter(reader: ParameterReader, emptyMeansAll = true): boolean {
  const mode = readFilterMode(reader);
  if (mode === 'none') return false;
  if (mode === 'json') return !isAllWord(readFilterJson(reader));
  return mode === 'groups' || !emptyMeansAll || !isFormUnchanged(reader, reader.read(conditionsParameter));
}

/** Does not check field names. @returns undefined if no filter is set. @throws InputError for an invalid filter */
export function readFilterTree(
  reader: ParameterReader,
  { emptyMeansAll = false, table }: FilterOptions = {},
): FilterTree | undefined {
  if (!hasFilter(reader, emptyMeansAll)) return undefined;
  const mode = readFilterMode(reader);
  if (mode === 'json') {
    return requireCondition(parseFilterJson(readFilterJson(reader), readFilterParameters(reader), table));
  }
  const match = mode === 'any' ? 'any' : mode === 'groups' ? reader.read(mustMatchParameter) : 'all';
  const rows = reader.read(conditionsParameter);
  const root = createFilterTree(match, isFormUnchanged(reader, rows) ? [] : rows);
  return requireCondition({ ...root, groups: reader.read(conditionGroupsParameter).map(readGroupRow) });
}

/** Adds a valid filter to the error for an unknown field of a JSON filter, because its form may be wrong. */
const addExampleToError = <T>(item: Item, table: Table, run: Promise<T>): Promise<T> =>
  run.catch((error: unknown) => {
    throw error instanceof UnknownFieldError && readFilterMode(item) === 'json'
      ? error.copyWith({ description: `${error.description} A valid filter: ${formatFilterExample(table)}.` })
      : asThrown(error);
  });

/**
 * Returns the filter of an operation that changes nothing, or undefined for all records. The fields of
 * `table` must be read in this execution, because the service silently ignores a condition on an unknown
 * field, such as a renamed one (spec: Filters).
 * @throws InputError for an invalid filter
 */
export async function readItemFilter(item: Item, table: Table): Promise<FilterGroup | undefined> {
  const tree = readFilterTree(item, { emptyMeansAll: true, table });
  if (!tree) return undefined;
  return addExampleToError(item, table, buildRecordFilter(item.client, tree, table, item.timeZone));
}

/**
 * @param select finds the records; for a batch update, this is `selectBatchRecords`
 * @throws InputError if there is no filter, or as `select` does
 */
export async function selectItemRecords(
  item: Item,
  table: Table,
  maximum: number,
  select: typeof selectBatchRecords = selectRecords,
): ReturnType<typeof selectRecords> {
  const filter = requireCondition(readFilterTree(item, { table }));
  const selection = { filter, timeZone: item.timeZone, maximum };
  return addExampleToError(item, table, select(item.client, table, selection));
}
