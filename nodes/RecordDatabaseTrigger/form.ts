/** The form of the trigger, and its values. */
import type {
  IHookFunctions,
  INodeProperties,
  IWebhookFunctions,
  TriggerPanelDefinition,
} from 'n8n-workflow';
import {
  type ParameterReader,
  createOptions,
  defineLoadedList,
  defineParameter,
} from '../n8n/parameters/parameter';
import { createTriggerReader } from '../n8n/trigger/startup';
import { type SharedTriggerParameters, createTriggerForm } from '../n8n/trigger/triggerForm';
import { InputError, tryOr } from '../service';
import { RECORD_EVENTS, type RecordEvent } from './staticData';

export function readTriggerParameters(context: TriggerContext): TriggerParameters {
  const reader = createTriggerReader(context);
  const parameters = {
    startBy: reader.read(startByParameter),
    tableIds: readTablesParameter(reader),
    events: readEventsParameter(reader),
    ...sharedForm.read(reader),
    ignoreDuplicates: reader.readOptionOrDefault(ignoreDuplicatesOption),
    fullRecord: reader.readOptionOrDefault(fullRecordOption),
    startWithoutEarlierValues: reader.readOptionOrDefault(noEarlierValuesOption),
    timeZone: context.getTimezone(),
  };
  if (parameters.startBy === 'address') ensureOneTableAndEvent(parameters.tableIds, parameters.events);
  return parameters;
}

const displayOptionsForUpdates = { show: { '/events': ['UPDATE'] } };

const ignoreDuplicatesOption = defineParameter({
  displayName: 'Ignore Duplicate Deliveries',
  name: 'ignoreDuplicates',
  type: 'boolean',
  default: true,
  description:
    'Whether to drop a delivery that equals the last one of its record, such as one that the service sends again. After a restart of n8n, or with several webhook servers, it may start the workflow once more.',
});

const fullRecordOption = defineParameter({
  displayName: 'Read Full Record',
  name: 'fullRecord',
  type: 'boolean',
  default: true,
  displayOptions: { show: { '/events': ['INSERT', 'UPDATE'] } },
  description:
    'Whether to read a created or updated record that was delivered in part. If it cannot be read within 8 seconds, or the request limit is used up, the workflow starts with the delivered values, and "_notChecked" says so.',
});

const noEarlierValuesOption = defineParameter({
  displayName: 'Start Without Earlier Values',
  name: 'startWithoutEarlierValues',
  type: 'boolean',
  default: true,
  displayOptions: displayOptionsForUpdates,
  description:
    'Whether an update starts the workflow if this trigger has no earlier values of the record to compare the watched fields with; "_changedFields" is then null',
});

/** An example of the item for an event (spec: Events). */
const SAMPLE_EVENT =
  '<code>{ "_event": "UPDATE", "_table": "Customers", "id": "a1B2c3D4e5", "company": "Example Workshop", "created_at": "2025-03-31 14:30:00" }</code>';

export const triggerPanel: TriggerPanelDefinition = {
  header: 'Listen, then change a record',
  executionsHelp: {
    inactive: `Webhooks have two modes: test and production. <br /><br /><b>Use test mode while you build your workflow</b>: press the button of this panel, then create, update or delete a record in the service. The execution appears here. <br /><br /><b>Publish the workflow to run it automatically</b>: every event then starts an execution. The service does not send earlier events again. <br /><br />An event looks like this: ${SAMPLE_EVENT}`,
    active: `<b>The workflow runs automatically</b>: every event starts an execution, which the <a data-key="executions">executions list</a> shows. To test changes, press the button of this panel, then create, update or delete a record in the service. <br /><br />An event looks like this: ${SAMPLE_EVENT}`,
  },
  activationHint:
    'Once published, the chosen changes start this workflow. Those that happen while it is not published are lost.',
};

const startByParameter = defineParameter({
  displayName: 'Start By',
  name: 'startBy',
  type: 'options',
  noDataExpression: true,
  default: 'subscription',
  options: [
    {
      name: 'Address to Paste',
      value: 'address',
      description: 'You enter the address of this trigger in the webhook settings of the service',
    },
    {
      name: 'Subscription',
      value: 'subscription',
      description: 'The trigger subscribes when the workflow is published',
    },
  ],
});

/** The address has no token. Its random path is the only secret. */
const addressNotice: INodeProperties = {
  displayName:
    '<ul><li>Choose one table and one event. </li><li>Open "Webhook URLs" at the top of this form and copy the Production URL (to try it, the Test URL). </li><li>In the service, add a webhook for the same table and event with this URL. </li><li>Publish the workflow. </li></ul>Whoever has the URL can start this workflow.',
  name: 'addressNotice',
  type: 'notice',
  default: '',
  displayOptions: { show: { startBy: ['address'] } },
};

const eventsParameter = defineParameter({
  displayName: 'Events',
  name: 'events',
  type: 'multiOptions',
  required: true,
  default: ['INSERT'],
  description:
    'Changes that start the workflow. Events that happen while the workflow is not published are lost.',
  options: [
    { name: 'Record Created', value: 'INSERT' },
    { name: 'Record Updated', value: 'UPDATE' },
    { name: 'Record Deleted', value: 'DELETE' },
  ],
});

export const getEventLabel = (event: RecordEvent): string =>
  eventsParameter.options.find(({ value }) => value === event)?.name ?? event;

const sharedForm = createTriggerForm({
  whenTableIsChosen: { show: { tables: [{ _cnd: { exists: true } }] } },
  forUpdates: { events: ['UPDATE'] },
  filterDescription:
    'Which records start the workflow. A field that a delivery lacks is read first. If it cannot be read within 8 seconds, the execution fails, and its error names the record.',
  watchedHint: 'Empty: any field. The first update of a record after publishing starts the workflow.',
  watchedDescription:
    'An update starts the workflow only if one of these fields differs from the value received last; "_changedFields" lists them, and "_before" holds their earlier values. Created and deleted records always start it.',
});

/** The service also delivers the updates that the workflow makes itself (spec: Events). */
const updateLoopNotice: INodeProperties = {
  displayName:
    'If this workflow updates the record that started it, that update starts it again. Choose "Watched Fields" that the workflow does not write, or write to another table.',
  name: 'updateNotice',
  type: 'notice',
  default: '',
  displayOptions: { show: { events: ['UPDATE'] }, hide: { changedFields: [{ _cnd: { exists: true } }] } },
};

const tablesParameter = defineLoadedList({
  displayName: 'Table Names or IDs',
  name: 'tables',
  required: true,
  typeOptions: { loadOptionsMethod: 'getTables' },
  description: 'Tables whose records to listen to.',
});

export const properties: INodeProperties[] = [
  tablesParameter,
  eventsParameter,
  sharedForm.changedFields,
  updateLoopNotice,
  ...sharedForm.filter,
  sharedForm.output,
  startByParameter,
  addressNotice,
  createOptions(...sharedForm.options, ignoreDuplicatesOption, fullRecordOption, noEarlierValuesOption),
];

type TriggerContext = IHookFunctions | IWebhookFunctions;

/** `address`: the user pastes the address of this trigger into the service. `subscription`: the trigger subscribes. */
type StartMethod = 'subscription' | 'address';

export interface TriggerParameters extends SharedTriggerParameters {
  /** IDs of the tables, or names that are not yet replaced by IDs. */
  tableIds: string[];
  events: RecordEvent[];
  startBy: StartMethod;
  ignoreDuplicates: boolean;
  fullRecord: boolean;
  startWithoutEarlierValues: boolean;
  /** Time zone of the workflow, for the dates in the form. */
  timeZone: string;
}

function readTablesParameter(reader: ParameterReader): string[] {
  const chosen = reader.read(tablesParameter);
  if (chosen.length > 0) return chosen;
  throw new InputError('No table is chosen', 'Choose at least one table whose records to listen to.');
}

/** Returns an empty list if an expression fails, so that unpublishing still works. */
export const tryReadTablesParameter = (context: TriggerContext): string[] =>
  tryOr(() => readTablesParameter(createTriggerReader(context)), []);

/** Returns `subscription`, which requires a token, if an expression fails. */
export const readStartBy = (context: TriggerContext): StartMethod =>
  tryOr(() => createTriggerReader(context).read(startByParameter), 'subscription');

function readEventsParameter(reader: ParameterReader): RecordEvent[] {
  const given = reader.read(eventsParameter);
  if (given.length > 0) return RECORD_EVENTS.filter((one) => given.includes(one));
  throw new InputError('No event is chosen', 'Choose Record Created, Updated or Deleted.');
}

/** A delivery to a pasted address may name no table or event, so the form must name one of each. @throws InputError */
function ensureOneTableAndEvent(chosenTables: string[], chosenEvents: RecordEvent[]): void {
  if (chosenTables.length === 1 && chosenEvents.length === 1) return;
  throw new InputError(
    '"Address to Paste" takes one table and one event',
    'Choose one of each. For others, add another trigger.',
  );
}
