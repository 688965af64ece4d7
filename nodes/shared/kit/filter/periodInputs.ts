import { RELATIVE } from '../../model/filter';
import { defineRow } from '../operation/parameter';

/** The inputs for a period relative to today, such as the last 7 days. */
export const periodInputs = defineRow(
  {
    displayName: 'Period',
    name: 'period',
    type: 'options',
    default: 'last',
    options: [
      { name: 'Last …', value: 'last', description: 'Up to and including today' },
      { name: 'Next …', value: 'next', description: 'From today on' },
      { name: 'This …', value: 'this', description: 'The current day, week, month or year' },
      { name: 'Today', value: 'today' },
      { name: 'Tomorrow', value: 'tomorrow' },
      { name: 'Yesterday', value: 'yesterday' },
    ],
    displayOptions: { show: { operator: [RELATIVE] } },
  },
  {
    displayName: 'Amount',
    name: 'amount',
    type: 'number',
    default: 7,
    typeOptions: { minValue: 1 },
    displayOptions: { show: { operator: [RELATIVE], period: ['last', 'next'] } },
  },
  {
    displayName: 'Unit',
    name: 'unit',
    type: 'options',
    default: 'day',
    options: [
      { name: 'Days', value: 'day' },
      { name: 'Weeks', value: 'week' },
      { name: 'Months', value: 'month' },
      { name: 'Years', value: 'year' },
    ],
    displayOptions: { show: { operator: [RELATIVE], period: ['last', 'next', 'this'] } },
  },
);
