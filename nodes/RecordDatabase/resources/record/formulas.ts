import type { INodeProperties } from 'n8n-workflow';
import type { Item } from '../../../shared/kit/item';

/** Headers by which a write steers formulas (spec: Formula-execution request headers). */
const FLAGS = [
  {
    name: 'queueFormulas',
    header: 'Queue-Equation',
    displayName: 'Queue Formulas',
    description: 'Whether formulas are worked out later, in the background',
  },
  {
    name: 'runFormulas',
    header: 'Update-Equation',
    displayName: 'Run Formulas Now',
    description: 'Whether the formulas of the record are worked out before the service answers',
  },
  {
    name: 'runTableFormulas',
    header: 'Update-Table-Equation',
    displayName: 'Run Table Formulas',
    description: 'Whether formulas that look at the whole table are worked out as well',
  },
  {
    name: 'runTableRules',
    header: 'Table-Rules',
    displayName: 'Run Table Rules',
    description: 'Whether the rules of the table run for this write',
  },
];

/** Options that are sent only when the user added them: without one the service decides. */
export const formulaOptions: INodeProperties[] = FLAGS.map(
  ({ name, displayName, description }): INodeProperties => ({
    displayName,
    name,
    type: 'boolean',
    default: true,
    description,
  }),
);

export function formulaHeaders(item: Item): Record<string, string> {
  const prefix = item.client.keys.headerPrefix;
  return Object.fromEntries(
    FLAGS.flatMap(({ name, header }) => {
      const flag = item.option(name);
      return flag === undefined ? [] : [[`X-${prefix}-${header}`, flag ? '1' : '0']];
    }),
  );
}
