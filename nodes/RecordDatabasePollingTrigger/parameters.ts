import type { IPollFunctions } from 'n8n-workflow';
import { InputError, formatForError } from '../client/input/inputError';
import { parseEnum } from '../client/input/values';
import { readFilterTree } from '../n8n/filter/readFilter';
import { ParameterReader } from '../n8n/parameters/parameterReader';
import { SNAPSHOT_EVENTS, type SnapshotEvent } from './bySnapshot';
import {
  changedFieldsOption,
  columnsOption,
  dateFieldParameter,
  displayNamesOption,
  eventsParameter,
  logParameter,
  maximumShareOption,
  outputParameter,
  overlapOption,
  pollTimesParameter,
  repeatOption,
  returnExistingOption,
  tableParameter,
  triggerOnParameter,
} from './form';
import type { DateWatch, LogWatch, SnapshotWatch } from './readChanges';

interface ItemForm {
  output: 'event' | 'record';
  /** Fields to keep in the record, by slug or field ID; empty for all. */
  columns: string[];
  displayNames: boolean;
}

/** The parameters for the records of a table. */
export type RecordParameters = (DateWatch | SnapshotWatch) & ItemForm & { repeatAfterRestart: boolean };

/** All parameters of the trigger, read once per poll. */
export type PollParameters = RecordParameters | (LogWatch & { repeatAfterRestart: boolean });

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
  if (given.length > 0) return given.map((event) => parseEnum(SNAPSHOT_EVENTS, event, 'Changes'));
  throw new InputError(
    `Changes cannot be ${formatForError(given)}`,
    'Choose at least one change that starts the workflow.',
  );
}

function readDateField(reader: ParameterReader): string {
  const given = reader.read(dateFieldParameter);
  if (given === '') throw new InputError('Date Field is empty', 'Choose the field that each change sets.');
  if (given !== 'created_at') return given;
  throw new InputError(
    'Date Field cannot be "created_at", which an update does not change',
    'Choose the field that each change sets, or Trigger On: Record Created.',
  );
}

/** @throws InputError for a value that the form does not offer, or an expression that returns nothing */
export function readPollParameters(context: IPollFunctions): PollParameters {
  const reader = createPollReader(context);
  const triggerOn = reader.read(triggerOnParameter);
  const common = {
    returnExisting: reader.readOption(returnExistingOption) ?? returnExistingOption.default,
    repeatAfterRestart: reader.readOption(repeatOption) ?? repeatOption.default,
    overlap: reader.readOption(overlapOption) ?? overlapOption.default,
    maximumShare: reader.readOption(maximumShareOption) ?? maximumShareOption.default,
    pollTimes: reader.read(pollTimesParameter),
  };
  if (triggerOn === 'logEntryAdded') return { ...common, detection: 'log', log: reader.read(logParameter) };

  const records = {
    ...common,
    tableId: reader.read(tableParameter),
    filter: readFilterTree(reader),
    timeZone: context.getTimezone(),
    output: reader.read(outputParameter),
    columns: reader.readOption(columnsOption) ?? columnsOption.default,
    displayNames: reader.readOption(displayNamesOption) ?? displayNamesOption.default,
  };
  if (triggerOn === 'recordCreated') return { ...records, detection: 'date', dateField: 'created_at' };
  if (triggerOn === 'recordCreatedOrUpdated')
    return { ...records, detection: 'date', dateField: readDateField(reader) };
  return {
    ...records,
    detection: 'snapshot',
    events: readSnapshotEvents(reader),
    changedFields: reader.readOption(changedFieldsOption) ?? changedFieldsOption.default,
  };
}
