import { createOptions, defineParameter } from '../../shared/kit/operation/parameter';
import { createFieldList } from '../../shared/kit/pickers/fieldList';

const forRecords = { show: { '/triggerOn': ['records'] } };
const forSnapshot = { show: { '/triggerOn': ['records'], '/detection': ['snapshot'] } };

/** Default of Overlap, in seconds. */
const DEFAULT_OVERLAP_SECONDS = 300;

export const columnsOption = createFieldList(
  'columns',
  'Fields to Keep Names or IDs',
  'Fields of the record to return in addition to its ID. Leave empty for all.',
  forRecords,
);

export const maximumShareOption = defineParameter({
  displayName: 'Share of the Daily Limit (%)',
  name: 'maximumShare',
  type: 'number',
  typeOptions: { minValue: 1, maxValue: 100 },
  default: 50,
  displayOptions: forSnapshot,
  description:
    'The polls of a day may use at most this share of the requests that the API key may make in a day. Above it, the poll is an error that shows the numbers.',
});

export const changedFieldsOption = createFieldList(
  'changedFields',
  'Watched Fields Names or IDs',
  'Only these fields are compared. Leave empty to compare all.',
  forSnapshot,
);

export const overlapOption = defineParameter({
  displayName: 'Overlap (Seconds)',
  name: 'overlap',
  type: 'number',
  typeOptions: { minValue: 10, maxValue: 86_400 },
  default: DEFAULT_OVERLAP_SECONDS,
  displayOptions: { hide: { '/detection': ['snapshot'] } },
  description:
    'Each poll reads this time before the newest known date again, because a record may appear later than its date says. Known records are not returned again.',
});

export const repeatOption = defineParameter({
  displayName: 'Repeat After a Restart',
  name: 'repeatAfterRestart',
  type: 'boolean',
  default: true,
  description:
    'Whether the first poll after a restart of n8n returns the last changes again, with the same "_eventId". Without it, the changes of an execution that the restart ended are lost.',
});

export const returnExistingOption = defineParameter({
  displayName: 'Return Everything First',
  name: 'returnExisting',
  type: 'boolean',
  default: false,
  description:
    'Whether the first poll returns what exists already. By default it only remembers it, and later polls return what is new.',
});

export const displayNamesOption = defineParameter({
  displayName: 'Use Display Names',
  name: 'displayNames',
  type: 'boolean',
  default: false,
  displayOptions: forRecords,
  description: 'Whether to use the names of the fields as keys instead of their slugs',
});

export const options = createOptions(
  columnsOption,
  maximumShareOption,
  changedFieldsOption,
  overlapOption,
  repeatOption,
  returnExistingOption,
  displayNamesOption,
);
