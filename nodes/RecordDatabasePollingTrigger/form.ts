/** The form of the polling trigger, and its values. */
import { pick } from 'lodash';
import type { INodeProperties, IPollFunctions } from 'n8n-workflow';
import { baseFilterParametersOption } from '../n8n/filter/filterForm';
import { logParameter } from '../n8n/lists/logParameter';
import { tableLocator } from '../n8n/lists/tablePickers';
import {
  type ParameterReader,
  createOptions,
  defineLoadedChoice,
  defineParameter,
  createLoadOptions,
} from '../n8n/parameters/parameter';
import { createTriggerReader, findTableByNameOrId } from '../n8n/trigger/startup';
import { type SharedTriggerParameters, createTriggerForm } from '../n8n/trigger/triggerForm';
import { asObject, type Client, InputError, type logEndpoints } from '../service';

export const CREATED_AT = 'created_at';

const RECORD_TRIGGERS = ['recordCreated', 'recordCreatedOrUpdated', 'recordCreatedUpdatedOrDeleted'];
const displayOptionsForRecords = { show: { triggerOn: RECORD_TRIGGERS } };
const displayOptionsForDate = { show: { triggerOn: ['recordCreatedOrUpdated'] } };
const displayOptionsForSnapshot = { show: { triggerOn: ['recordCreatedUpdatedOrDeleted'] } };
const displayOptionsForLogs = { show: { triggerOn: ['logEntryAdded'] } };

const triggerOnParameter = defineParameter({
  displayName: 'Trigger On',
  name: 'triggerOn',
  type: 'options',
  default: 'recordCreated',
  options: [
    {
      name: 'Log Entry Added',
      value: 'logEntryAdded',
      description: 'A new entry in one of the eight logs',
    },
    {
      name: 'Record Created',
      value: 'recordCreated',
      description:
        'New records of a table, by Created At. One request when nothing happened. "_event" is INSERT.',
    },
    {
      name: 'Record Created or Updated',
      value: 'recordCreatedOrUpdated',
      description:
        'New and changed records of a table, by a date field that each change sets. "_event" is UPSERT.',
    },
    {
      name: 'Record Created, Updated or Deleted',
      value: 'recordCreatedUpdatedOrDeleted',
      description:
        'In a table of up to 5,000 records. Each poll reads all of them, with one request per 200 records.',
    },
  ],
});

const tableParameter = defineParameter({ ...tableLocator, displayOptions: displayOptionsForRecords });

const polledLogParameter = {
  ...logParameter,
  default: 'failedLogins',
  description: 'The log whose new entries start the workflow',
  displayOptions: displayOptionsForLogs,
} as const;

const dateFieldParameter = defineLoadedChoice({
  displayName: 'Date Field Name or ID',
  name: 'dateField',
  required: true,
  typeOptions: createLoadOptions('getDateFields', ['dataTableId.value']),
  displayOptions: displayOptionsForDate,
  hint: 'Only a change that sets this field is found. None fits? Choose Record Created, Updated or Deleted.',
  description:
    'The Date-Time field that each change sets to the present time of the service, for example by a table rule. A field that only some changes set, such as "Shipped At", hides the others. A date in the future counts when it has come.',
});

const eventsParameter = defineParameter({
  displayName: 'Changes',
  name: 'events',
  type: 'multiOptions',
  default: [],
  displayOptions: displayOptionsForSnapshot,
  hint: 'Empty: any change',
  description:
    'Changes that start the workflow. With some left out, a record that was created after the workflow last started, and updated or deleted while n8n was off, is not found.',
  options: [
    {
      name: 'Record Created',
      value: 'INSERT',
      description: 'Created, or matches the filter now. "_event" is INSERT.',
    },
    {
      name: 'Record Deleted',
      value: 'DELETE',
      description: 'Not with a User Login. "_event" is DELETE.',
    },
    {
      name: 'Record Left the Filter',
      value: 'LEFT_FILTER',
      description: 'Still exists and does not match the filter any more. "_event" is LEFT_FILTER.',
    },
    {
      name: 'Record No Longer Visible',
      value: 'NOT_VISIBLE',
      description:
        'With a User Login: deleted, or hidden from the user, so it may still exist. "_event" is NOT_VISIBLE.',
    },
    { name: 'Record Updated', value: 'UPDATE', description: '"_event" is UPDATE' },
  ],
});

const sharedForm = createTriggerForm({
  whenTableIsChosen: { hide: { dataTableId: [''] } },
  forRecords: displayOptionsForRecords.show,
  forUpdates: displayOptionsForSnapshot.show,
  watchedDescription: 'Only these fields are compared, and "_before" holds their earlier values.',
  watchedHint: 'Empty: any field',
});

const overlapOption = defineParameter({
  displayName: 'Overlap (Seconds)',
  name: 'overlap',
  type: 'number',
  typeOptions: { minValue: 10, maxValue: 86_400 },
  default: 300,
  displayOptions: { hide: { '/triggerOn': ['recordCreatedUpdatedOrDeleted'] } },
  description:
    'Each poll reads this time before the newest known date again, because a record may appear later than its date says. Known records are not returned again.',
});

const returnExistingOption = defineParameter({
  displayName: 'Return Everything First',
  name: 'returnExisting',
  type: 'boolean',
  default: false,
  description:
    'Whether the first polls return what exists already, about 5,000 records at once. By default the first poll only remembers it, and later ones return what is new.',
});

export const properties: INodeProperties[] = [
  triggerOnParameter,
  tableParameter,
  polledLogParameter,
  dateFieldParameter,
  eventsParameter,
  sharedForm.changedFields,
  ...sharedForm.filter,
  sharedForm.output,
  createOptions(...sharedForm.options, overlapOption, returnExistingOption),
];

export type ComparisonEvent = (typeof eventsParameter.options)[number]['value'];

interface CommonPollParameters {
  /** Whether the first poll returns the records or entries that exist already. Otherwise, it only stores them. */
  returnExisting: boolean;
  /** Each poll reads again this many seconds before the newest found date: a record may appear later than its date. */
  overlap: number;
}

/**
 * `date`: finds records by the value of their date field. `snapshot`: compares all records, at most 5,000, with the
 * state after the last poll.
 */
export interface RecordPollParameters extends CommonPollParameters, SharedTriggerParameters {
  detection: 'date' | 'snapshot';
  tableId: string;
  /** The inputs of the filter. Expressions are not evaluated: their values may differ at each poll. */
  filterInputs: unknown;
  /** IANA name of the workflow's time zone. */
  timeZone: string;
  /** Slug or ID. For `snapshot`, it is `created_at`, by which a test in the editor finds records. */
  dateField: string;
  /** For `snapshot`: the changes that start the workflow. */
  events: ComparisonEvent[];
}

export interface LogPollParameters extends CommonPollParameters {
  detection: 'log';
  log: keyof typeof logEndpoints;
}

export type PollParameters = RecordPollParameters | LogPollParameters;

function readComparisonEvents(reader: ParameterReader): ComparisonEvent[] {
  const given = reader.read(eventsParameter);
  const all = eventsParameter.options.map(({ value }) => value);
  return given.length > 0 ? all.filter((event) => given.includes(event)) : all;
}

function readDateField(reader: ParameterReader): string {
  const given = reader.read(dateFieldParameter);
  if (given !== CREATED_AT) return given;
  throw new InputError(
    'Date Field cannot be "created_at", which an update does not change',
    'Choose the field that each change sets, or Trigger On: Record Created.',
  );
}

/** The name of a table becomes its ID. @throws InputError for an invalid parameter, or for a name that no table has */
export async function readPollParameters(context: IPollFunctions, client: Client): Promise<PollParameters> {
  const reader = createTriggerReader(context);
  const triggerOn = reader.read(triggerOnParameter);
  const common = {
    returnExisting: reader.readOptionOrDefault(returnExistingOption),
    overlap: reader.readOptionOrDefault(overlapOption),
  };
  if (triggerOn === 'logEntryAdded')
    return { ...common, detection: 'log', log: reader.read(polledLogParameter) };

  const table = reader.read(tableParameter);
  const { parameters } = context.getNode();
  const isNamed = asObject(parameters.dataTableId).mode === 'name';
  const isSnapshot = triggerOn === 'recordCreatedUpdatedOrDeleted';
  return {
    ...common,
    ...sharedForm.read(reader),
    detection: isSnapshot ? 'snapshot' : 'date',
    tableId: isNamed ? (await findTableByNameOrId(client, table)).id : table,
    filterInputs: [
      pick(
        parameters,
        sharedForm.filter.map(({ name }) => name),
      ),
      asObject(parameters.options)[baseFilterParametersOption.name],
    ],
    timeZone: context.getTimezone(),
    dateField: triggerOn === 'recordCreatedOrUpdated' ? readDateField(reader) : CREATED_AT,
    events: isSnapshot ? readComparisonEvents(reader) : [],
  };
}
