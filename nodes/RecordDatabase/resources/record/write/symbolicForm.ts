import { resolveSymbolicInputs } from '../../../../shared/kit/connections/resolveFilter';
import { parseFieldOption } from '../../../../shared/kit/filter/fieldOption';
import { filterParameters } from '../../../../shared/kit/filter/filterForm';
import { readFilterParameters, readNotation } from '../../../../shared/kit/filter/readFilter';
import { SYMBOLIC_WORDS, symbolicRow } from '../../../../shared/kit/filter/symbolicRow';
import type { Item } from '../../../../shared/kit/operation/item';
import { defineParameter, type ParameterDefinition } from '../../../../shared/kit/operation/parameter';
import { hideUntilPicked } from '../../../../shared/kit/pickers/hideUntilPicked';
import {
  buildSymbolicFilter,
  parseSymbolicJson,
  type SymbolicInput,
  type SymbolicItem,
} from '../../../../shared/model/filter';
import { InputError } from '../../../../shared/model/input/inputError';
import type { Table } from '../../../../shared/model/records/table';

const conditionMode = defineParameter({
  displayName: 'Filter',
  name: 'conditionMode',
  type: 'options',
  default: 'manual',
  description: 'Which records to work with',
  options: [
    { name: 'Build Manually', value: 'manual', description: 'Add conditions in the form' },
    { name: 'JSON', value: 'json', description: 'A JSON array of conditions' },
  ],
});

const symbolicConditions = defineParameter({
  displayName: 'Conditions',
  name: 'symbolicConditions',
  type: 'fixedCollection',
  placeholder: 'Add Condition',
  default: {},
  description: 'A record must meet all of them',
  typeOptions: { multipleValues: true },
  displayOptions: { show: { conditionMode: ['manual'] } },
  options: [
    {
      displayName: 'Condition',
      name: 'items',
      values: symbolicRow,
    },
  ],
});

const conditionJson = defineParameter({
  displayName: 'Filter (JSON)',
  name: 'conditionJson',
  type: 'json',
  default: '[\n  { "field_id": "", "condition": "=", "value": "$1" }\n]',
  description:
    'JSON array of conditions with "field_id", "condition" and "value" each. A record must meet all of them. The conditions are =, !=, &gt;, &lt;, &gt;=, &lt;=, contains, startswith, is_blank and not_blank. The value "$1" is replaced by the first of the Filter Parameters. Example: [{"field_id": "status", "condition": "=", "value": "active"}].',
  displayOptions: { show: { conditionMode: ['json'] } },
});

/** Conditions in the symbolic notation (spec: Filters), in the form or as JSON. A record must meet all of them. */
export const symbolicForm: ParameterDefinition[] = hideUntilPicked('dataTableId', [
  conditionMode,
  symbolicConditions,
  conditionJson,
  { ...filterParameters, displayOptions: { show: { conditionMode: ['json'] } } },
]);

function readSymbolicInputs(item: Item): SymbolicInput[] {
  if (item.read(conditionMode) === 'json') {
    return parseSymbolicJson(item.read(conditionJson), readFilterParameters(item));
  }
  return item.read(symbolicConditions).map(({ field, condition, value, valueAs }) => ({
    field: parseFieldOption(field).id,
    condition: SYMBOLIC_WORDS.find((word) => word.value === condition)?.condition ?? String(condition ?? ''),
    value,
    notation: readNotation({ valueAs }),
  }));
}

/**
 * Returns the item's conditions with the IDs of connected records, checked against the table. An empty list is an
 * error, because every record would match.
 * @param allMatch texts for that error: `effect` is what would happen to every record, `remedy` how to do it
 *   intentionally
 * @throws InputError
 */
export async function readSymbolicFilter(
  item: Item,
  table: Table,
  allMatch: { effect: string; remedy: string },
): Promise<SymbolicItem[]> {
  const inputs = readSymbolicInputs(item);
  if (inputs.length === 0) {
    throw new InputError(
      `There is no condition: every record of the table would be ${allMatch.effect}`,
      `Add at least one condition. ${allMatch.remedy} Nothing was sent.`,
    );
  }
  const resolved = await resolveSymbolicInputs(item.client, inputs, table);
  return buildSymbolicFilter(resolved, table, {
    timeZone: item.timeZone,
    serviceTimeZone: item.client.credential.timeZone,
    now: new Date(),
  });
}
