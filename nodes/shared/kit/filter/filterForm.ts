import { defineParameter, type ParameterDefinition } from '../operation/parameter';
import { conditionRow } from './conditionRow';

const shownWhenManual = { show: { filterMode: ['manual'] } };
const shownWhenJson = { show: { filterMode: ['json'] } };

export const filterMode = defineParameter({
  displayName: 'Filter',
  name: 'filterMode',
  type: 'options',
  default: 'none',
  description: 'Which records to work with',
  options: [
    { name: 'None', value: 'none', description: 'All records' },
    { name: 'Build Manually', value: 'manual', description: 'Add conditions in the form' },
    {
      name: 'JSON',
      value: 'json',
      description: 'A short form, or the form of the service, with groups in groups',
    },
  ],
});

const createMatchParameter = (preset: 'all' | 'any', description: string) =>
  defineParameter({
    displayName: 'Must Match',
    name: 'match',
    type: 'options',
    default: preset,
    description,
    options: [
      { name: 'All Conditions', value: 'all' },
      { name: 'Any Condition', value: 'any' },
    ],
  });

export const filterMatch = createMatchParameter(
  'all',
  'Whether a record must meet all conditions and groups, or any one of them',
);

export const filterConditions = defineParameter({
  displayName: 'Conditions',
  name: 'conditions',
  type: 'fixedCollection',
  placeholder: 'Add Condition',
  default: {},
  description: 'Fields, operators and values to compare',
  typeOptions: { multipleValues: true },
  options: [{ displayName: 'Condition', name: 'items', values: conditionRow }],
});

export const filterGroups = defineParameter({
  displayName: 'Condition Groups',
  name: 'groups',
  type: 'fixedCollection',
  placeholder: 'Add Group',
  default: {},
  description: 'Conditions that are evaluated together, for example (A or B) and (C or D)',
  typeOptions: { multipleValues: true },
  displayOptions: shownWhenManual,
  options: [
    {
      displayName: 'Group',
      name: 'items',
      values: [
        // The default is "any", because conditions that must all be met do not need a group.
        createMatchParameter(
          'any',
          'Whether a record must meet all conditions of this group, or any one of them',
        ),
        filterConditions,
      ],
    },
  ],
});

export const filterJson = defineParameter({
  displayName: 'Filter (JSON)',
  name: 'filterJson',
  type: 'json',
  default:
    '{\n  "condition": "AND",\n  "items": [\n    { "field_id": "", "operator": "is", "val": "$1" }\n  ],\n  "child": []\n}',
  description:
    'JSON object of fields and values, all of which must match. A field is given by its name or slug. Common operators are "is", "is not", "contains", "starts with", "is any of", "between" and "is blank"; symbols and $eq, $ne, $gt, $gte, $lt, $lte and $in are valid too. Example: {"status": "active", "price": {"$gte": 50, "$lt": 100}, "or": [{"city": "Leeds"}, {"city": "York"}]}. The form of the service is valid too: {"condition": "AND", "items": [{"field_id": "status", "operator": "is", "val": "active"}]}. The value "$1" is replaced by the first of the Filter Parameters. The word "all" means all records.',
  displayOptions: shownWhenJson,
});

export const filterParameters = defineParameter({
  displayName: 'Filter Parameters',
  name: 'filterParameters',
  type: 'json',
  default: '[]',
  description:
    'JSON array of the values that replace $1, $2 and so on in the filter. Use it for text from other nodes, which could otherwise break the JSON. Example: ["Mill Works", 5].',
  displayOptions: shownWhenJson,
});

/** The filter parameters of an operation. */
export const filterForm: ParameterDefinition[] = [
  filterMode,
  { ...filterMatch, displayOptions: shownWhenManual },
  { ...filterConditions, displayOptions: shownWhenManual },
  filterGroups,
  filterJson,
  filterParameters,
];

/** The filter parameters of an operation that must not work with all records of a table. */
export const requiredFilterForm: ParameterDefinition[] = [
  { ...filterMode, default: 'manual', options: filterMode.options.filter(({ value }) => value !== 'none') },
  ...filterForm.slice(1),
];
