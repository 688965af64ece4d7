import type { INodeProperties } from 'n8n-workflow';
import { filterForm } from '../../shared/kit/filter/filterForm';
import { defineParameter } from '../../shared/kit/operation/parameter';
import { options } from './options';

export const events = defineParameter({
  displayName: 'Events',
  name: 'events',
  type: 'multiOptions',
  required: true,
  default: ['INSERT'],
  description:
    'Changes that start the workflow. Events that happen while the workflow is not published are lost.',
  options: [
    { name: 'Record Created', value: 'INSERT' },
    { name: 'Record Deleted', value: 'DELETE' },
    { name: 'Record Updated', value: 'UPDATE' },
  ],
});

export const tables = defineParameter({
  displayName: 'Table Names or IDs',
  name: 'tables',
  type: 'multiOptions',
  required: true,
  default: [],
  typeOptions: { loadOptionsMethod: 'getTables' },
  description:
    'Tables whose records to listen to. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
});

export const output = defineParameter({
  displayName: 'Output',
  name: 'output',
  type: 'options',
  default: 'event',
  description:
    'Data of the item that starts the workflow. "_notChecked" lists the checks that were not possible for a delivery.',
  options: [
    { name: 'Event', value: 'event', description: 'Event, tableId, tableName, record and timestamp' },
    { name: 'Record Only', value: 'record', description: 'The values of the record without the event' },
  ],
});

/**
 * Whether a dependency is a parameter of the same row, such as `&field`. All other dependencies name the parameter
 * for a single table, which the trigger does not have.
 */
const isSiblingParameter = (name: unknown) => String(name).startsWith('&');

/** The filter form of Get Many. Its lists depend on the parameter "tables" instead of a single table. */
const tableFilter = JSON.parse(JSON.stringify(filterForm), (key, value: unknown) =>
  key === 'loadOptionsDependsOn' && !(value as unknown[]).every(isSiblingParameter) ? ['tables'] : value,
) as INodeProperties[];

/** The filter is hidden until a table is chosen, because its lists are empty until then. */
const filter = tableFilter.map((parameter): INodeProperties =>
  parameter.displayOptions
    ? parameter
    : { ...parameter, displayOptions: { show: { tables: [{ _cnd: { exists: true } }] } } },
);

/** Explains that a filter may need a request to the service, which may fail. */
const filterNotice: INodeProperties = {
  displayName:
    'A field that a delivery lacks is read from the service before the filter is applied. If the service does not answer, the delivery is refused with status 503. The service may or may not send it again.',
  name: 'filterNotice',
  type: 'notice',
  default: '',
  displayOptions: { show: { filterMode: ['manual', 'json'] } },
};

export const properties: INodeProperties[] = [tables, events, ...filter, filterNotice, output, options];
