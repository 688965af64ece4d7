import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';
import { defineParameter } from '../operation/parameter';

export const DATE_KINDS = 'date|dateTime|calendar';
export const CHOICE_KINDS = 'choice|choices';

/**
 * Condition of n8n's forms: the field option is of one of the kinds, such as `number|date`. The value of a field
 * option is `field_id|kind`. The execution reads the kind from the table instead.
 */
export const matchKinds = (kinds: string) => [{ _cnd: { regex: `\\|(${kinds})$` } }];

/** @param dependsOn parameters with which n8n loads the list of fields again */
export const createFieldInput = (...dependsOn: string[]) =>
  defineParameter({
    displayName: 'Field Name or ID',
    name: 'field',
    type: 'options',
    default: '',
    description:
      'Field to compare, with its type. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
    typeOptions: { loadOptionsMethod: 'getFilterFields', loadOptionsDependsOn: dependsOn },
  });

/** @param preset the operator of a new condition */
export const createOperatorInput = <N extends string>(name: N, preset: string, loadOptionsMethod: string) =>
  defineParameter({
    displayName: 'Operator Name or ID',
    name,
    type: 'options',
    default: preset,
    description:
      'How to compare. The list depends on the type of the field. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
    typeOptions: { loadOptionsMethod, loadOptionsDependsOn: ['&field'] },
  });

export const createSearchTextInput = <N extends string>(name: N, displayOptions: IDisplayOptions) =>
  defineParameter({
    displayName: 'Value',
    name,
    type: 'string',
    default: '',
    description: 'Text to look for',
    displayOptions,
  });

export const createNumberInput = <N extends string>(name: N, displayOptions: IDisplayOptions) =>
  defineParameter({
    displayName: 'Value',
    name,
    type: 'number',
    default: '',
    description: 'Number to compare with',
    displayOptions,
  });

export const createDateInput = <N extends string>(name: N, displayOptions: IDisplayOptions) =>
  defineParameter({
    displayName: 'Value',
    name,
    type: 'dateTime',
    default: '',
    description: "Date, in the workflow's time zone",
    displayOptions,
  });

export const createChoiceInput = <N extends string>(name: N, displayOptions: IDisplayOptions) =>
  defineParameter({
    displayName: 'Value Name or ID',
    name,
    type: 'options',
    default: '',
    description:
      'One of the choices of the field. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
    typeOptions: { loadOptionsMethod: 'getFilterChoices', loadOptionsDependsOn: ['&field'] },
    displayOptions,
  });

/** Creates the input for the notation of a connected record. `operators` shows it for the operators that compare one. */
export const createNotationInput = (operators: Record<string, string[]>) =>
  ({
    displayName: 'Value As',
    name: 'valueAs',
    type: 'options',
    default: 'detect',
    description: 'How the value names the connected record',
    options: [
      { name: 'Detect', value: 'detect', description: 'Look it up as a name first, then as an ID' },
      { name: 'ID', value: 'ids' },
      { name: 'Name', value: 'names' },
    ],
    displayOptions: { show: { field: matchKinds('connection'), ...operators } },
  }) satisfies INodeProperties & { name: 'valueAs' };
