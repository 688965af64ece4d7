import { createOptions, defineParameter } from '../../shared/kit/operation/parameter';

export const acceptUnverifiedOption = defineParameter({
  displayName: 'Accept Unverified Deliveries',
  name: 'acceptUnverified',
  type: 'boolean',
  default: false,
  description:
    'Whether to accept deliveries without a token, for a service that drops the query string of the address. Anybody who knows the address can then start the workflow; "Verify by Reading the Record" limits that to records that exist.',
});

export const columnsOption = defineParameter({
  displayName: 'Fields to Keep Names or IDs',
  name: 'columns',
  type: 'multiOptions',
  default: [],
  typeOptions: { loadOptionsMethod: 'getFields', loadOptionsDependsOn: ['tables'] },
  description:
    'Fields of the record to return in addition to its ID. Leave empty for all. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
});

export const ignoreDuplicatesOption = defineParameter({
  displayName: 'Ignore Duplicate Deliveries',
  name: 'ignoreDuplicates',
  type: 'boolean',
  default: true,
  description:
    'Whether to drop a delivery whose content was received before. Two saves within one second with the same values count as one. Each process of n8n stores its own list of recent deliveries.',
});

export const maximumSizeOption = defineParameter({
  displayName: 'Maximum Body Size (MB)',
  name: 'maximumSize',
  type: 'number',
  typeOptions: { minValue: 0.001, numberPrecision: 1 },
  default: 10,
  description: 'Larger deliveries are refused',
});

export const changedFieldsOption = defineParameter({
  displayName: 'Watched Fields Names or IDs',
  name: 'changedFields',
  type: 'multiOptions',
  default: [],
  typeOptions: { loadOptionsMethod: 'getFields', loadOptionsDependsOn: ['tables'] },
  description:
    'An update starts the workflow only if one of these fields differs from the value that this trigger received last; "_changedFields" lists them. Created and deleted records always start it. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
});

export const fullRecordOption = defineParameter({
  displayName: 'Read Full Record',
  name: 'fullRecord',
  type: 'boolean',
  default: false,
  description:
    'Whether to read the record from the service before applying the filter, with the display values of its connections. Does not apply to deleted records. If the record cannot be read within 8 seconds, the workflow starts with the delivered values.',
});

export const startWithoutEarlierValuesOption = defineParameter({
  displayName: 'Start Without Earlier Values',
  name: 'startWithoutEarlierValues',
  type: 'boolean',
  default: true,
  description:
    'Whether an update starts the workflow if this trigger has no earlier values of the record to compare the watched fields with; "_changedFields" is then null',
});

export const displayNamesOption = defineParameter({
  displayName: 'Use Display Names',
  name: 'displayNames',
  type: 'boolean',
  default: false,
  description:
    'Whether to use the names of the fields as keys instead of their slugs. Fields that a delivery lacks are read from the service.',
});

export const verifyOption = defineParameter({
  displayName: 'Verify by Reading the Record',
  name: 'verify',
  type: 'boolean',
  default: false,
  description:
    'Whether to read the record from the service, and to start the workflow with its current values only if it exists. Does not apply to deleted records. A record that was deleted before it could be read starts nothing.',
});

export const options = createOptions(
  acceptUnverifiedOption,
  columnsOption,
  ignoreDuplicatesOption,
  maximumSizeOption,
  changedFieldsOption,
  fullRecordOption,
  startWithoutEarlierValuesOption,
  displayNamesOption,
  verifyOption,
);
