import { BETWEEN } from '../../model/filter';
import { defineRow } from '../operation/parameter';
import { DATE_KINDS, matchKinds } from './conditionInputs';

const showBetween = (kinds: string) => ({ show: { field: matchKinds(kinds), operator: [BETWEEN] } });

/** The two inputs of "between" for numbers. */
export const numberRange = defineRow(
  {
    displayName: 'From',
    name: 'numberValue',
    type: 'number',
    default: '',
    description: 'Smallest value that still matches',
    displayOptions: showBetween('number'),
  },
  {
    displayName: 'To',
    name: 'numberTo',
    type: 'number',
    default: '',
    description: 'Largest value that still matches',
    displayOptions: showBetween('number'),
  },
);

/** The two inputs of "between" for dates. */
export const dateRange = defineRow(
  {
    displayName: 'From',
    name: 'dateValue',
    type: 'dateTime',
    default: '',
    description: "First date that still matches, in the workflow's time zone",
    displayOptions: showBetween(DATE_KINDS),
  },
  {
    displayName: 'To',
    name: 'dateTo',
    type: 'dateTime',
    default: '',
    description: 'Last date that still matches',
    displayOptions: showBetween(DATE_KINDS),
  },
);

/** The two inputs of "between" for times. */
export const timeRange = defineRow(
  {
    displayName: 'From',
    name: 'timeFrom',
    type: 'string',
    default: '',
    placeholder: 'e.g. 09:00:00',
    displayOptions: showBetween('time'),
  },
  {
    displayName: 'To',
    name: 'timeTo',
    type: 'string',
    default: '',
    placeholder: 'e.g. 17:30:00',
    displayOptions: showBetween('time'),
  },
);
