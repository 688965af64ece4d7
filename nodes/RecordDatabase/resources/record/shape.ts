import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Item } from '../../../shared/kit/item';
import { outputs, type Output } from '../../../shared/kit/operation';
import { partsOf, type Field } from '../../../shared/model/fields';
import { columnOptions } from './columns';

const shapeOptions: INodeProperties[] = [
  {
    displayName: 'Group Composite Fields',
    name: 'group',
    type: 'boolean',
    default: true,
    description:
      'Whether Name, Address and Calendar fields come as one object each, in whatever form the service sends them',
  },
  {
    displayName: 'Simplify',
    name: 'simplify',
    type: 'boolean',
    default: true,
    description: 'Whether to return a simplified version of the response instead of the raw data',
  },
];

/** The options of an operation that reads records, with `more` of its own. */
export const readOptions = (...more: INodeProperties[]): INodeProperties => ({
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add Option',
  default: {},
  options: [...columnOptions, ...shapeOptions, ...more],
});

/** `name[first_name]`, `namefirst` or `term__start` under a field's key, gathered into one object. */
function grouped(record: IDataObject, fields: Field[], keyOf: (field: Field) => string): IDataObject {
  const result = { ...record };
  for (const field of fields) {
    const parts = partsOf(field);
    const key = keyOf(field);
    if (!parts || key in record) continue;
    const found = parts.flatMap(({ payload }) =>
      [`${key}[${payload}]`, `${key}__${payload}`]
        .filter((one) => one in record)
        .map((one) => [payload, one] as const),
    );
    if (found.length === 0) continue;
    result[key] = Object.fromEntries(found.map(([payload, one]) => [payload, record[one]]));
    for (const [, one] of found) delete result[one];
  }
  return result;
}

/** Connections as their display values, composites as one line, empty values left out. `own`: keys of fields. */
function simplified(record: IDataObject, own: Set<string>): IDataObject {
  const isDisplay = (key: string) => key.endsWith('_val') && key.slice(0, -4) in record && !own.has(key);
  const pairs = Object.entries(record).flatMap(([key, value]): Array<[string, unknown]> => {
    if (isDisplay(key)) return [];
    const display = isDisplay(`${key}_val`) ? record[`${key}_val`] : undefined;
    const shown = Array.isArray(display)
      ? display.map((one) => (one as { val?: unknown }).val ?? one)
      : value;
    const isParts = typeof shown === 'object' && shown !== null && !Array.isArray(shown);
    const line = isParts
      ? Object.values(shown)
          .filter((part) => part !== '' && part !== null)
          .join(' ')
      : shown;
    return line === '' || line === null || (Array.isArray(line) && line.length === 0) ? [] : [[key, line]];
  });
  return Object.fromEntries(pairs) as IDataObject;
}

/** Records as the options ask for them. */
export async function shaped(item: Item, records: unknown[]): Promise<Output[]> {
  const simplify = item.option('simplify');
  if (!item.option('group') && !simplify) return outputs(records);
  const { fields } = await item.table(item.id('dataTableId'));
  const isNamed = item.option('displayNames');
  const keyOf = (field: Field) => (isNamed ? field.name : field.slug);
  const own = new Set(fields.map(keyOf));
  return outputs(
    records.map((record) => {
      const whole = grouped(record as IDataObject, fields, keyOf);
      return simplify ? simplified(whole, own) : whole;
    }),
  );
}
