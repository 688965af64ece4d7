import { mapValues } from 'lodash';
import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { type FilterTree, isEmptyTree } from '../client/filter/tree';
import { InputError, formatForError } from '../client/input/inputError';
import { tryOr } from '../client/input/values';
import { RECORD_EVENTS, type RecordEvent } from '../client/responses/subscriptions';
import { readFilterTree } from '../n8n/filter/readFilter';
import { ParameterReader } from '../n8n/parameters/parameterReader';
import {
  acceptUnverifiedOption,
  changedFieldsOption,
  columnsOption,
  displayNamesOption,
  events,
  fullRecordOption,
  ignoreDuplicatesOption,
  maximumSizeOption,
  output,
  startWithoutEarlierValuesOption,
  tables,
  verifyOption,
} from './form';

/** The contexts of webhook methods and of deliveries. */
type TriggerContext = IHookFunctions | IWebhookFunctions;

const BOOLEAN_OPTIONS = {
  acceptUnverified: acceptUnverifiedOption,
  displayNames: displayNamesOption,
  fullRecord: fullRecordOption,
  ignoreDuplicates: ignoreDuplicatesOption,
  startWithoutEarlierValues: startWithoutEarlierValuesOption,
  verify: verifyOption,
};

type BooleanOptions = Record<keyof typeof BOOLEAN_OPTIONS, boolean>;

/** All parameters of the trigger, read once per call of n8n. */
export interface TriggerParameters extends BooleanOptions {
  tableIds: string[];
  events: RecordEvent[];
  filter?: FilterTree;
  output: 'event' | 'record';
  /** Fields to keep in the record, by slug or field ID; empty for all. */
  columns: string[];
  /** Fields of which at least one must change, by slug or field ID; empty if any change starts the workflow. */
  changedFields: string[];
  /** The workflow's zone, in which the form's dates are. */
  timeZone: string;
  /** The zone of `created_at` and of the service's "today", from the credential. Without a value UTC. */
  serviceTimeZone?: string;
}

const BYTES_PER_MEGABYTE = 1024 * 1024;

const createTriggerReader = (context: TriggerContext) =>
  new ParameterReader(
    () => context.getNode(),
    ({ name, default: fallback }) => context.getNodeParameter(name, fallback as never),
  );

function readTables(reader: ParameterReader): string[] {
  const tableIds = reader.read(tables);
  if (tableIds.length > 0) return tableIds;
  throw new InputError('No table is chosen', 'Choose at least one table whose records to listen to.');
}

/** Returns the chosen tables, or none if an expression for them fails. Never throws. */
export const readTableIds = (context: TriggerContext): string[] =>
  tryOr(() => readTables(createTriggerReader(context)), []);

function readRecordEvents(reader: ParameterReader): RecordEvent[] {
  const given = reader.read(events);
  const known = RECORD_EVENTS.filter((one) => given.includes(one));
  if (known.length > 0 && known.length === given.length) return known;
  throw new InputError(
    given.length === 0 ? 'No event is chosen' : `The events cannot be ${formatForError(given)}`,
    `Choose Record Created, Updated or Deleted; an expression must return ${RECORD_EVENTS.join(', ')}.`,
  );
}

const readBooleans = (reader: ParameterReader): BooleanOptions =>
  mapValues(BOOLEAN_OPTIONS, (option) => reader.readOption(option) ?? option.default);

function readTriggerFilter(reader: ParameterReader): FilterTree | undefined {
  const tree = readFilterTree(reader);
  return tree && !isEmptyTree(tree) ? tree : undefined;
}

/** @throws InputError for a value that the form does not offer, or an expression that returns nothing */
export function readTriggerParameters(context: TriggerContext): TriggerParameters {
  const reader = createTriggerReader(context);
  return {
    tableIds: readTables(reader),
    events: readRecordEvents(reader),
    filter: readTriggerFilter(reader),
    output: reader.read(output),
    columns: reader.readOption(columnsOption) ?? [],
    changedFields: reader.readOption(changedFieldsOption) ?? [],
    ...readBooleans(reader),
    timeZone: context.getTimezone(),
  };
}

/** The parameters or the error of reading them. The error is thrown after authentication only, so that an invalid
 * delivery creates no failed execution. */
export interface TriggerForm {
  maxBodyBytes: number;
  parameters?: TriggerParameters;
  /** Why the parameters could not be read. */
  error?: unknown;
}

/** Reads the parameters for a delivery. Never throws. */
export function readTriggerForm(context: TriggerContext): TriggerForm {
  const size = tryOr(() => createTriggerReader(context).readOption(maximumSizeOption), undefined);
  const maxBodyBytes = (size ?? maximumSizeOption.default) * BYTES_PER_MEGABYTE;
  try {
    return { maxBodyBytes, parameters: readTriggerParameters(context) };
  } catch (error) {
    return { maxBodyBytes, error };
  }
}
