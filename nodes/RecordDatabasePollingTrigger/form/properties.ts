import type { INodeProperties } from 'n8n-workflow';
import { filterForm } from '../../shared/kit/filter/filterForm';
import { defineParameter } from '../../shared/kit/operation/parameter';
import { hideUntilPicked } from '../../shared/kit/pickers/hideUntilPicked';
import { tableLocator } from '../../shared/kit/pickers/tablePickers';
import { options } from './options';

const forRecords = { show: { triggerOn: ['records'] } };
const forLogs = { show: { triggerOn: ['logEntries'] } };

export const triggerOnParameter = defineParameter({
  displayName: 'Trigger On',
  name: 'triggerOn',
  type: 'options',
  default: 'records',
  options: [
    { name: 'Log Entry Added', value: 'logEntries', description: 'A new entry in one of the eight logs' },
    { name: 'Record Changed', value: 'records', description: 'Records of one table' },
  ],
});

export const tableParameter = defineParameter({ ...tableLocator, displayOptions: forRecords });

export const logParameter = defineParameter({
  displayName: 'Log',
  name: 'log',
  type: 'options',
  default: 'failedLogins',
  description: 'The log whose new entries start the workflow',
  displayOptions: forLogs,
  options: [
    { name: 'Blocked IPs', value: 'blockedIps' },
    { name: 'Blocked Users', value: 'blockedUsers' },
    { name: 'Builder Activities', value: 'builderActivities' },
    { name: 'Emails', value: 'emails' },
    { name: 'Failed Logins', value: 'failedLogins' },
    { name: 'Logins', value: 'logins' },
    { name: 'Page Views', value: 'pageViews' },
    { name: 'Sessions', value: 'sessions' },
  ],
});

export const detectionParameter = defineParameter({
  displayName: 'Find Changes',
  name: 'detection',
  type: 'options',
  default: 'date',
  displayOptions: forRecords,
  options: [
    {
      name: 'By a Date Field',
      value: 'date',
      description: 'Records whose date is newer than at the last poll. One request when nothing happened.',
    },
    {
      name: 'By Snapshot',
      value: 'snapshot',
      description:
        'Created, updated and deleted records, in a table of up to 5,000. Each poll reads all records of the table: one request per 170 records.',
    },
  ],
});

export const dateFieldParameter = defineParameter({
  displayName: 'Date Field Name or ID',
  name: 'dateField',
  type: 'options',
  default: 'created_at',
  required: true,
  typeOptions: { loadOptionsMethod: 'getDateFields', loadOptionsDependsOn: ['dataTableId.value'] },
  displayOptions: { show: { triggerOn: ['records'], detection: ['date'] } },
  description:
    'The Date-Time field that says when a record changed. Created At finds new records only; to find updates, choose a field that the service or a table rule sets at each change. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
});

export const eventsParameter = defineParameter({
  displayName: 'Changes',
  name: 'events',
  type: 'multiOptions',
  required: true,
  default: ['INSERT', 'UPDATE', 'DELETE', 'LEFT_FILTER'],
  displayOptions: { show: { triggerOn: ['records'], detection: ['snapshot'] } },
  description: 'Changes that start the workflow',
  options: [
    { name: 'Record Created', value: 'INSERT', description: 'Created, or matches the filter now' },
    { name: 'Record Deleted', value: 'DELETE' },
    {
      name: 'Record Left the Filter',
      value: 'LEFT_FILTER',
      description: 'Still exists and does not match the filter any more',
    },
    { name: 'Record Updated', value: 'UPDATE' },
  ],
});

/** The filter form of Get Many, shown for records. */
const filter: INodeProperties[] = hideUntilPicked('dataTableId', filterForm).map((parameter) => ({
  ...parameter,
  displayOptions: {
    ...parameter.displayOptions,
    show: { ...forRecords.show, ...parameter.displayOptions?.show },
  },
}));

export const outputParameter = defineParameter({
  displayName: 'Output',
  name: 'output',
  type: 'options',
  default: 'event',
  displayOptions: forRecords,
  description: 'Data of the items that start the workflow',
  options: [
    { name: 'Event', value: 'event', description: 'Event, tableId, record and timestamp' },
    {
      name: 'Record Only',
      value: 'record',
      description: 'The values of the record, and the event as "_event"',
    },
  ],
});

/** n8n adds this parameter to the form of every polling node. */
export const pollTimesParameter = defineParameter({
  displayName: 'Poll Times',
  name: 'pollTimes',
  type: 'fixedCollection',
  default: {},
  options: [{ displayName: 'Item', name: 'item', values: [] }],
});

export const properties: INodeProperties[] = [
  triggerOnParameter,
  tableParameter,
  logParameter,
  detectionParameter,
  dateFieldParameter,
  eventsParameter,
  ...filter,
  outputParameter,
  options,
];
