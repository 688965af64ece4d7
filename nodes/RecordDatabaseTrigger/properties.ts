import type { INodeProperties } from 'n8n-workflow';
import { filterForm } from '../shared/kit/filterForm';

const events: INodeProperties = {
  displayName: 'Events',
  name: 'events',
  type: 'multiOptions',
  required: true,
  default: ['INSERT'],
  description: 'Changes that start the workflow',
  options: [
    { name: 'Record Created', value: 'INSERT' },
    { name: 'Record Deleted', value: 'DELETE' },
    { name: 'Record Updated', value: 'UPDATE' },
  ],
};

const tables: INodeProperties = {
  displayName: 'Table Names or IDs',
  name: 'tables',
  type: 'multiOptions',
  required: true,
  default: [],
  typeOptions: { loadOptionsMethod: 'getTables' },
  description:
    'Tables whose records to listen to. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};

const output: INodeProperties = {
  displayName: 'Output',
  name: 'output',
  type: 'options',
  default: 'event',
  description:
    'What the workflow starts with. Deliveries that a check was not possible for carry "_notChecked".',
  options: [
    { name: 'Event', value: 'event', description: 'Event, tableId, tableName, record and timestamp' },
    { name: 'Record Only', value: 'record', description: 'The values of the record alone' },
  ],
};

/** `&field` is a sibling in the same row, which stays; everything else follows what the other nodes pick. */
const isSibling = (name: unknown) => String(name).startsWith('&');

/** The form of Get Many, with its lists following the trigger's own choice of tables. */
const filter = JSON.parse(JSON.stringify(filterForm), (key, value: unknown) =>
  key === 'loadOptionsDependsOn' && !(value as unknown[]).every(isSibling) ? ['tables'] : value,
) as INodeProperties[];

const options: INodeProperties = {
  displayName: 'Options',
  name: 'options',
  type: 'collection',
  placeholder: 'Add Option',
  default: {},
  options: [
    {
      displayName: 'Fields to Keep Names or IDs',
      name: 'columns',
      type: 'multiOptions',
      default: [],
      typeOptions: { loadOptionsMethod: 'getFields', loadOptionsDependsOn: ['tables'] },
      description:
        'Fields of the record to put out beside its ID; leave empty for all. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
    },
    {
      displayName: 'Ignore Duplicate Deliveries',
      name: 'ignoreDuplicates',
      type: 'boolean',
      default: true,
      description:
        'Whether to drop a delivery that came before with the same body. Two saves within one second that leave the same values count as one.',
    },
    {
      displayName: 'Maximum Body Size (MB)',
      name: 'maximumSize',
      type: 'number',
      typeOptions: { minValue: 0.001, numberPrecision: 3 },
      default: 10,
      description: 'Larger deliveries are refused',
    },
    {
      displayName: 'Read Full Record',
      name: 'fullRecord',
      type: 'boolean',
      default: false,
      description:
        'Whether to read the record again, with the display values of its connections. Not for deleted records; where it cannot be read, the delivered one is put out.',
    },
    {
      displayName: 'Use Display Names',
      name: 'displayNames',
      type: 'boolean',
      default: false,
      description: 'Whether the keys of the record are the names of the fields instead of their slugs',
    },
    {
      displayName: 'Verify by Reading the Record',
      name: 'verify',
      type: 'boolean',
      default: false,
      description:
        'Whether to start only if the service holds the record, and to put out what it holds. Not for deleted records. The service waits for its answer meanwhile, and records deleted before they could be read start nothing.',
    },
  ],
};

export const properties: INodeProperties[] = [tables, events, ...filter, output, options];
