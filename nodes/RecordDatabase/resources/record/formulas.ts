import type { Item } from '../../../n8n/operation/item';
import { defineParameter } from '../../../n8n/parameters/parameter';

const defineFlag = (header: string, name: string, displayName: string, description: string) => ({
  header,
  option: defineParameter({ displayName, name, type: 'boolean', default: true, description }),
});

/** Headers that control formulas when a record is written (spec: Formula-execution request headers). */
const FORMULA_FLAGS = [
  defineFlag(
    'Queue-Equation',
    'queueFormulas',
    'Queue Formulas',
    'Whether formulas are calculated later, in the background',
  ),
  defineFlag(
    'Update-Equation',
    'runFormulas',
    'Run Formulas Now',
    'Whether the formulas of the record are calculated before the service answers',
  ),
  defineFlag(
    'Update-Table-Equation',
    'runTableFormulas',
    'Run Table Formulas',
    'Whether formulas that use the whole table are calculated as well',
  ),
  defineFlag(
    'Table-Rules',
    'runTableRules',
    'Run Table Rules',
    'Whether the rules of the table run for this write',
  ),
];

/** Options that are sent only when the user adds them. Otherwise the service uses its own defaults. */
export const formulaOptions = FORMULA_FLAGS.map(({ option }) => option);

/** Whether a write is to run formulas or rules, so that it has an effect also if it changes no value. */
export const runsFormulas = (item: Item): boolean =>
  FORMULA_FLAGS.some(({ option }) => item.readOption(option) === true);

export function createFormulaHeaders(item: Item): Record<string, string> {
  const prefix = item.client.credential.headerPrefix;
  return Object.fromEntries(
    FORMULA_FLAGS.flatMap(({ header, option }) => {
      const flag = item.readOption(option);
      return flag === undefined ? [] : [[`X-${prefix}-${header}`, flag ? '1' : '0']];
    }),
  );
}
