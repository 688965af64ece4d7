/**
 * The form of the polling trigger, and its values. `properties` is the form, and `pollingLoadOptions` has its lists.
 * `readPollParameters` reads and checks all parameters once per poll.
 */
import type {
  ILoadOptionsFunctions,
  INodeProperties,
  INodePropertyOptions,
  IPollFunctions,
} from 'n8n-workflow';
import { filterParameters } from '../n8n/filter/filterForm';
import { getMatchableFilterOperators } from '../n8n/filter/filterLists';
import { logParameter } from '../n8n/lists/logParameter';
import { runLookup } from '../n8n/lists/lookUp';
import { findPickedTable, tableLocator } from '../n8n/lists/tablePickers';
import { withLiteralResults } from '../n8n/nodeMethods';
import { ParameterReader, createOptions, defineParameter } from '../n8n/parameters/parameter';
import { type SharedParameters, createTriggerForm } from '../n8n/trigger/triggerForm';
import { getTable } from '../records';
import { asObject, formatForError, InputError, parseEnum } from '../service';
import { SNAPSHOT_EVENTS, type SnapshotEvent } from './bySnapshot';
import type { DateWatch, LogWatch, SnapshotWatch } from './readChanges';
import { CREATED_AT, isDateTimeField } from './recordsByDate';

const RECORDS = ['recordCreated', 'recordCreatedOrUpdated', 'recordCreatedUpdatedOrDeleted'];
const forRecords = { show: { triggerOn: RECORDS } };
const forDates = { show: { triggerOn: ['recordCreatedOrUpdated'] } };
const forSnapshot = { show: { triggerOn: ['recordCreatedUpdatedOrDeleted'] } };
const forLogs = { show: { triggerOn: ['logEntryAdded'] } };

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
        'In a table of up to 5,000 records. Each poll reads all of them, with one request per 170 records.',
    },
  ],
});

const tableParameter = defineParameter({ ...tableLocator, displayOptions: forRecords });

const polledLog = {
  ...logParameter,
  default: 'failedLogins',
  description: 'The log whose new entries start the workflow',
  displayOptions: forLogs,
} as const;

const dateFieldParameter = defineParameter({
  displayName: 'Date Field Name or ID',
  name: 'dateField',
  type: 'options',
  default: '',
  allowArbitraryValues: true,
  required: true,
  typeOptions: { loadOptionsMethod: 'getDateFields', loadOptionsDependsOn: ['dataTableId.value'] },
  displayOptions: forDates,
  hint: 'Only a change that sets this field is found. None fits? Choose Record Created, Updated or Deleted.',
  description:
    'The Date-Time field that each change sets to the present time of the service, for example by a table rule. A field that only some changes set, such as "Shipped At", hides the others. A date in the future counts when it has come. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
});

const eventsParameter = defineParameter({
  displayName: 'Changes',
  name: 'events',
  type: 'multiOptions',
  default: [],
  displayOptions: forSnapshot,
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

const shared = createTriggerForm({
  tables: 'dataTableId.value',
  whenChosen: { hide: { dataTableId: [''] } },
  forRecords: forRecords.show,
  forUpdates: forSnapshot.show,
  watchedDescription: 'Only these fields are compared, and "_before" holds their earlier values.',
  watchedHint: 'Empty: any field',
});

/** n8n adds this parameter to the form of every polling node. */
const pollTimesParameter = defineParameter({
  displayName: 'Poll Times',
  name: 'pollTimes',
  type: 'fixedCollection',
  default: {},
  options: [{ displayName: 'Item', name: 'item', values: [] }],
});

/** Default of Overlap, in seconds. */
const DEFAULT_OVERLAP_SECONDS = 300;

const maximumShareOption = defineParameter({
  displayName: 'Share of the Daily Limit (%)',
  name: 'maximumShare',
  type: 'number',
  typeOptions: { minValue: 1, maxValue: 100 },
  default: 50,
  description:
    'The polls of a day may use at most this share of the requests that the API key may make in a day. Above it, the poll is an error that shows the numbers.',
});

const overlapOption = defineParameter({
  displayName: 'Overlap (Seconds)',
  name: 'overlap',
  type: 'number',
  typeOptions: { minValue: 10, maxValue: 86_400 },
  default: DEFAULT_OVERLAP_SECONDS,
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
    'Whether the first polls return what exists already, up to 5,000 records or entries each. By default the first poll only remembers it, and later ones return what is new.',
});

export const properties: INodeProperties[] = [
  triggerOnParameter,
  tableParameter,
  polledLog,
  dateFieldParameter,
  eventsParameter,
  shared.changedFields,
  ...shared.filter,
  shared.output,
  createOptions(...shared.options, maximumShareOption, overlapOption, returnExistingOption),
];

/** The Date-Time fields of the picked table, without Created At, which an update does not change. */
async function getDateFields(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const tableId = await findPickedTable(this);
  if (!tableId) return [];
  const { fields } = await runLookup(this, (client) => getTable(client, tableId));
  return fields
    .filter((field) => isDateTimeField(field) && field.slug !== CREATED_AT)
    .map(({ name, slug }) => ({ name, value: slug }));
}

/** The load options methods of the polling trigger, beside those of all nodes. */
export const pollingLoadOptions = withLiteralResults({
  getDateFields,
  getFilterOperators: getMatchableFilterOperators,
});

/** The parameters for the records of a table. */
export type RecordParameters = (DateWatch | SnapshotWatch) &
  SharedParameters & {
    /** The name of the table, whose ID is not known yet. Undefined if the form has the ID. */
    tableName?: string;
  };

/** All parameters of the trigger, read once per poll. */
export type PollParameters = RecordParameters | LogWatch;

const createPollReader = (context: IPollFunctions) =>
  new ParameterReader(
    () => context.getNode(),
    ({ name, type, default: fallback }) => {
      const locatorOptions = type === 'resourceLocator' ? { extractValue: true } : undefined;
      return context.getNodeParameter(name, fallback, locatorOptions);
    },
  );

function readSnapshotEvents(reader: ParameterReader): SnapshotEvent[] {
  const given = reader.read(eventsParameter);
  return given.length > 0
    ? given.map((event) => parseEnum(SNAPSHOT_EVENTS, event, 'Changes'))
    : [...SNAPSHOT_EVENTS];
}

function readDateField(reader: ParameterReader): string {
  const given = reader.read(dateFieldParameter);
  if (given !== CREATED_AT) return given;
  throw new InputError(
    'Date Field cannot be "created_at", which an update does not change',
    'Choose the field that each change sets, or Trigger On: Record Created.',
  );
}

/**
 * What an expression reads that is another at each poll: the clock, a random number, the execution. `DateTime.utc(2026)`
 * and `new Date(0)` are constants.
 */
const CHANGING = [
  /\$(now|today|execution)\b/,
  /\bDateTime\s*\.\s*(now\b|(local|utc)\s*\(\s*\))/,
  /\bnew\s+Date\b(?!\s*\(\s*[^\s)])/,
  /(?<!\bnew\s+)\bDate\s*(\(|\.\s*now\b)/,
  /\b(performance|Math|crypto)\s*\.\s*(now|random|randomUUID)\b/,
  /\.\s*(diffToNow|diffNow|isInLast|isInNext|randomItem|toRelative|toRelativeCalendar)\b/,
];

/** Lists the expressions in a parameter, as they were written. */
function listExpressions(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('=') ? [value.slice(1)] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listExpressions) : [];
}

/**
 * Polls compare what the filter finds, and one that read the service before. With a filter that is another at each poll,
 * every poll would be a first one: nothing would ever be returned.
 * @throws InputError naming the expression
 */
function ensureFilterIsConstant(context: IPollFunctions): void {
  const { parameters } = context.getNode();
  const inputs = shared.filter.map(({ name }) => parameters[name]);
  const changing = [...inputs, asObject(parameters.options)[filterParameters.name]]
    .flatMap(listExpressions)
    .find((expression) => CHANGING.some((pattern) => pattern.test(expression)));
  if (changing === undefined) return;
  throw new InputError(
    `Filter: ${formatForError(changing)} is another value at each poll`,
    'The trigger compares what the same filter finds at two polls. For a date relative to today, use the operator "Is Within", "Is Before Today" or "Is After Today", without an expression: each poll evaluates it anew. Nothing was read.',
  );
}

/** @throws InputError for a value that the form does not offer, or an expression that returns nothing or changes */
export function readPollParameters(context: IPollFunctions): PollParameters {
  const reader = createPollReader(context);
  const triggerOn = reader.read(triggerOnParameter);
  const common = {
    returnExisting: reader.readOptionOrDefault(returnExistingOption),
    overlap: reader.readOptionOrDefault(overlapOption),
    maximumShare: reader.readOptionOrDefault(maximumShareOption),
    pollTimes: reader.read(pollTimesParameter),
  };
  if (triggerOn === 'logEntryAdded') return { ...common, detection: 'log', log: reader.read(polledLog) };

  ensureFilterIsConstant(context);
  const table = reader.read(tableParameter);
  const { mode } = asObject(context.getNode().parameters.dataTableId);
  const records = {
    ...common,
    tableId: table,
    ...(mode === 'name' && { tableName: table }),
    ...shared.read(reader),
    timeZone: context.getTimezone(),
  };
  if (triggerOn === 'recordCreated') return { ...records, detection: 'date', dateField: CREATED_AT };
  if (triggerOn === 'recordCreatedOrUpdated')
    return { ...records, detection: 'date', dateField: readDateField(reader) };
  return { ...records, detection: 'snapshot', events: readSnapshotEvents(reader) };
}
