import { isEmptyTree, buildFilter, treeFromJson, ANY_OF, BETWEEN, RELATIVE } from '../model/filter';
import type { Condition, FilterGroup, FilterTree } from '../model/filter';
import { InputError, shown } from '../model/inputError';
import { oneOf } from '../model/oneOf';
import type { Table } from '../model/table';
import type { Item } from './item';

/** Where the form's parameters are read from: an item of a run, or a trigger. */
export type FilterSource = Pick<Item, 'value' | 'timeZone'> & { client: { keys: { userLogin: boolean } } };

/** One row of the form; which inputs it has depends on the field's kind and the operator. */
interface Row {
  field?: string;
  operator?: string;
  value?: unknown;
  textValue?: unknown;
  numberValue?: unknown;
  numberTo?: unknown;
  numberValues?: unknown;
  dateValue?: unknown;
  dateTo?: unknown;
  timeFrom?: unknown;
  timeTo?: unknown;
  choiceValue?: unknown;
  choiceValues?: unknown;
  period?: string;
  amount?: number;
  unit?: string;
}

interface Group {
  match?: string;
  conditions?: { items?: Row[] };
}

/** `field_id|kind` of the dropdown, or a bare field id from an expression. */
export const fieldIdOf = (option: unknown): string =>
  String(option ?? '')
    .split('|')[0]!
    .trim();

/** First of the inputs that was filled in: a row only holds those that are shown for it. */
const filled = (...inputs: unknown[]) =>
  inputs.find((one) => one !== undefined && one !== '' && one !== null);

/** Where the field is an expression, n8n shows all inputs: then "Value" speaks, not the 0 of an untouched number. */
const numberIn = ({ field, numberValue }: Row) =>
  numberValue === 0 && !/\|number$/.test(field ?? '') ? undefined : numberValue;

function valueOf(row: Row): unknown {
  if (row.operator === RELATIVE) return { period: row.period, amount: row.amount, unit: row.unit };
  if (row.operator === BETWEEN) {
    const from = filled(row.timeFrom, row.dateValue, row.numberValue);
    return { from, to: filled(row.timeTo, row.dateTo, row.numberTo) };
  }
  const one = filled(row.value, row.textValue, row.choiceValue, row.dateValue, numberIn(row));
  if (row.operator === ANY_OF) return filled(row.value, row.numberValues, row.choiceValues) ?? one;
  return one;
}

const conditionOf = (row: Row): Condition => {
  const field = fieldIdOf(row.field);
  if (field === '') {
    throw new InputError(
      'Filter: a condition has no field',
      'Choose the field from the list, or remove the condition.',
    );
  }
  const operator = 'operator' in row ? row.operator : 'is';
  if (typeof operator === 'string') return { field, operator, value: valueOf(row) };
  throw new InputError(
    `Filter: the operator of "${field}" cannot be ${shown(operator)}`,
    'Choose it from the list. An expression here may have found nothing.',
  );
};

/** @throws InputError for a word that the form does not have: all would be another filter */
const matchOf = (value: unknown): FilterTree['match'] => oneOf(['all', 'any'] as const, value, 'Must Match');

const groupOf = ({ match, conditions }: Group): FilterTree => ({
  match: matchOf(match ?? 'all'),
  conditions: (conditions?.items ?? []).map(conditionOf),
  groups: [],
});

export function filterParameters(item: Pick<Item, 'value'>): unknown[] {
  const given = item.value<unknown>('filterParameters', []);
  const list = typeof given === 'string' ? parseJson(given) : given;
  if (Array.isArray(list)) return list;
  throw new InputError(
    `Filter Parameters cannot be ${shown(given)}`,
    'Give a JSON array such as ["Open", 100].',
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.trim() || '[]');
  } catch {
    return undefined;
  }
}

function treeOf(item: FilterSource): FilterTree | undefined {
  const mode = oneOf(['none', 'manual', 'json'] as const, item.value('filterMode', 'none'), 'Filter');
  if (mode === 'json') return treeFromJson(item.value('filterJson'), filterParameters(item));
  if (mode !== 'manual') return undefined;
  const root = groupOf({ match: item.value('match', 'all'), conditions: item.value('conditions', {}) });
  const { items: groups = [] } = item.value<{ items?: Group[] }>('groups', {});
  return { ...root, groups: groups.map(groupOf) };
}

/**
 * The item's filter in the service's form, checked against the table; undefined where no filter was asked
 * for or no condition was added.
 * @throws InputError
 */
export function filterOf(item: FilterSource, table: Table): FilterGroup | undefined {
  const tree = treeOf(item);
  if (!tree || isEmptyTree(tree)) return undefined;
  return buildFilter(tree, table, {
    timeZone: item.timeZone,
    now: new Date(),
    userLogin: item.client.keys.userLogin,
  });
}
