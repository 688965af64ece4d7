/** The form of the sort rules: rows, or JSON for a tool. */
import type { Table } from '../../records';
import { formatForError, InputError, isBlank, isObject, parseEnum, parseJson } from '../../service';
import { createFromAiDefault } from '../agent/toolForm';
import type { Item } from '../operation/item';
import { defineLoadedChoice, defineParameter, createLoadOptions } from '../parameters/parameter';

interface SortRule {
  field?: unknown;
  direction?: unknown;
}

/** @throws InputError for a field that the table does not have */
export const readSortBy = (item: Item, table: Table) => buildSortBy(readSortRules(item), table);

/** `sort_by` is a list of {sort, by} (spec: Records). @throws InputError for an unknown field or direction */
export const buildSortBy = (rules: SortRule[], table: Table) =>
  rules.map(({ field, direction }) => {
    const by = parseEnum(['asc', 'desc'], String(direction).trim().toLowerCase(), 'Sort: the direction');
    const name = String(field ?? '').trim();
    if (name === '') {
      throw new InputError(
        'Sort: a rule has no field',
        'Choose the field, or remove the rule. An expression may have returned nothing.',
      );
    }
    // The service cannot sort by a part of a field (spec: Filters).
    return { sort: table.requireField(name, 'Sort').slug, by };
  });

export const sortParameter = defineParameter({
  displayName: 'Sort',
  name: 'sort',
  type: 'fixedCollection',
  forTools: 'never',
  placeholder: 'Add Sort Rule',
  default: {},
  description:
    'Order of the returned records. Later rules apply to records that are equal by all earlier rules.',
  typeOptions: { multipleValues: true, sortable: true },
  options: [
    {
      displayName: 'Rule',
      name: 'rules',
      values: [
        defineLoadedChoice({
          displayName: 'Field',
          name: 'field',
          typeOptions: createLoadOptions('getFields'),
          description: 'Field to sort by.',
        }),
        {
          displayName: 'Direction',
          name: 'direction',
          type: 'options',
          default: 'asc',
          options: [
            { name: 'Ascending', value: 'asc' },
            { name: 'Descending', value: 'desc' },
          ],
        },
      ],
    },
  ],
});

const SORT_EXAMPLE = '{"Status": "asc", "Created At": "desc"}';
const TOOL_SORT_DESCRIPTION = `Order of the records as a JSON object of fields and directions, the most important first. Example: ${SORT_EXAMPLE}. Leave it empty for any order.`;

export const toolSortParameter = defineParameter({
  displayName: 'Sort (JSON)',
  name: 'sortJson',
  type: 'json',
  default: createFromAiDefault('sort', TOOL_SORT_DESCRIPTION, ''),
  forTools: 'only',
  description: TOOL_SORT_DESCRIPTION,
});

/** Does not check the names of fields. @throws InputError as `parseSortJson` does */
export const readSortRules = (item: Item): SortRule[] =>
  item.isTool ? parseSortJson(item.read(toolSortParameter)) : item.read(sortParameter);

/** Parses `{"Status": "asc", "Created At": "desc"}` or blank text. @throws InputError for any other form */
export function parseSortJson(input: unknown): SortRule[] {
  const text = typeof input === 'string' ? input.trim() : input;
  if (isBlank(text)) return [];
  const value = typeof text === 'string' ? parseJson(text) : text;
  if (isObject(value)) return Object.entries(value).map(([field, direction]) => ({ field, direction }));
  throw new InputError(
    `Sort (JSON) cannot be ${formatForError(input)}`,
    `Nothing was sent. A valid value: ${SORT_EXAMPLE}, with asc or desc for each field, the most important first. Leave it empty for any order.`,
  );
}
