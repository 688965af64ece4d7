/** The option Formulas and Rules: what the service calculates when a record is written. */
import type { Item } from '../../../n8n/operation/item';
import { defineParameter } from '../../../n8n/parameters/parameter';
import { InputError } from '../../../service';

export function createFormulaHeaders(item: Item): Record<string, string> {
  const prefix = item.client.credential.headerPrefix;
  const choices = readFormulaChoices(item);
  return Object.fromEntries(
    FORMULA_HEADERS.flatMap(({ header, name }) => {
      const isOn = choices.has(name + ON_STATE);
      return isOn || choices.has(name + OFF_STATE) ? [[`X-${prefix}-${header}`, isOn ? '1' : '0']] : [];
    }),
  );
}

/** Spec: Formula-execution request headers. */
const FORMULA_HEADERS = [
  { header: 'Queue-Equation', name: 'queueFormulas', label: 'Calculate Formulas in the Background' },
  { header: 'Update-Equation', name: 'runFormulas', label: 'Calculate Formulas Now' },
  { header: 'Update-Table-Equation', name: 'runTableFormulas', label: 'Calculate Table Formulas' },
  { header: 'Table-Rules', name: 'runTableRules', label: 'Run Table Rules' },
];

const ON_STATE = 'On';
const OFF_STATE = 'Off';
/** With this choice, Create sends the query parameter `showequationlog` (spec: List query parameters). */
const EQUATION_LOG_CHOICE = 'equationLog';

/** A header is sent only if On or Off is chosen for it. Otherwise the service uses its own default. */
export const formulaOption = defineParameter({
  displayName: 'Formulas and Rules',
  name: 'formulas',
  type: 'multiOptions',
  default: [],
  description:
    'What the service does in addition to the write. What is not chosen here is up to the service.',
  options: FORMULA_HEADERS.flatMap(({ name, label }) =>
    [ON_STATE, OFF_STATE].map((state) => ({ name: `${label}: ${state}`, value: `${name}${state}` })),
  ),
});

export const formulaLogOption = defineParameter({
  ...formulaOption,
  options: [
    ...formulaOption.options,
    {
      name: 'Return Equation Log',
      value: EQUATION_LOG_CHOICE,
      description: 'The output shows how each formula was calculated, under "equationLog"',
    },
  ],
});

const CONTRADICTORY_CHOICES = [
  ...FORMULA_HEADERS.map(({ name }) => [name + ON_STATE, name + OFF_STATE]),
  ['queueFormulasOn', 'runFormulasOn'],
];

function readFormulaChoices(item: Item): Set<string> {
  const choices = new Set(item.readOption(formulaLogOption));
  const both = CONTRADICTORY_CHOICES.find((group) => group.every((one) => choices.has(one)));
  if (!both) return choices;
  const names = formulaOption.options.flatMap(({ name, value }) => (both.includes(value) ? `"${name}"` : []));
  throw new InputError(
    `Formulas and Rules: ${names.join(' and ')} contradict each other`,
    'Nothing was sent. Remove one of them.',
  );
}

/** A write that runs formulas has an effect even if it changes no value. */
export function runsFormulas(item: Item): boolean {
  const choices = readFormulaChoices(item);
  return FORMULA_HEADERS.some(({ name }) => choices.has(name + ON_STATE));
}

export const returnsEquationLog = (item: Item): boolean => readFormulaChoices(item).has(EQUATION_LOG_CHOICE);
