/** The parameter Simplify, and the simplified form of entries. */
import { groupBy, mapValues } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../../service';
import { defineParameter } from '../parameters/parameter';
import { type ItemOperation, isFailure } from './operation';

const SIMPLIFY_PROPERTIES = {
  displayName: 'Simplify',
  name: 'simplify',
  forTools: 'never',
} as const;

/** @param description what an operation returns with Simplify on */
export const createSimplifyParameter = (description: string) =>
  defineParameter({
    ...SIMPLIFY_PROPERTIES,
    type: 'options',
    default: 'on',
    description,
    options: [
      { name: 'On', value: 'on' },
      { name: 'Off', value: 'off', description: 'As the service returns them' },
    ],
  });

/** Adds Simplify to an operation that returns runs. @param ending words at the end of the description */
export function addSimplifyParameter(operation: ItemOperation, ending = ''): ItemOperation {
  const simplifyRun = createSimplifyParameter(`A run is a flat item without empty values${ending}`);
  return {
    ...operation,
    parameters: [...(operation.parameters ?? []), simplifyRun],
    async run(item, mode) {
      const results = await operation.run(item, mode);
      if (item.read(simplifyRun) === 'off') return results;
      return results.map((result) =>
        isFailure(result) ? result : { ...result, json: simplifyEntry(result.json) as IDataObject },
      );
    },
  };
}

/** A record can be written back in each of these forms. */
export const simplifyRecordsParameter = defineParameter({
  ...SIMPLIFY_PROPERTIES,
  type: 'options',
  default: 'slugs',
  description:
    'The form of the records: a connection as the text of its record, with its ID under "…_id", and Name, Address and Calendar as objects without their empty parts. Every field is returned, and can be written back.',
  options: [
    { name: 'On', value: 'slugs', description: 'The keys are the slugs of the fields' },
    {
      name: 'On, Field Names as Keys',
      value: 'names',
      description: '"Credit Limit" in place of "credit_limit"',
    },
    { name: 'Off', value: 'off', description: 'As the service returns them' },
  ],
});

const isNameValuePair = (value: unknown): value is { name: unknown; val: unknown } =>
  isObject(value) && 'name' in value && 'val' in value;

/** If a name occurs several times, its value is the list of all its values. */
const groupByName = (pairs: Array<{ name: unknown; val: unknown }>) =>
  mapValues(groupBy(pairs, 'name'), (group) => {
    const values = group.map(({ val }) => val);
    return values.length === 1 ? values[0] : values;
  });

/**
 * `user {name, email}` becomes `user_name` and `user_email`, and `metas [{name, val}]` one object (spec:
 * Logs, Export queue entry). Empty values are left out. @param omitted keys that are left out, such as long
 * values
 */
export function simplifyEntry(entry: unknown, omitted: ReadonlySet<string> = new Set()): unknown {
  if (!isObject(entry)) return entry;
  const pairs = Object.entries(entry).flatMap(([key, value]): Array<[string, unknown]> => {
    if (value === '' || value === null || omitted.has(key)) return [];
    if (isObject(value)) {
      return Object.entries(value)
        .filter(([, inner]) => inner !== '' && inner !== null)
        .map(([inner, one]) => [`${key}_${inner}`, one]);
    }
    if (!Array.isArray(value) || !value.every(isNameValuePair)) return [[key, value]];
    return value.length === 0 ? [] : [[key, groupByName(value)]];
  });
  return Object.fromEntries(pairs);
}
