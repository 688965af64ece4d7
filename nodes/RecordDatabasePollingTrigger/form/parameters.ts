import type { IPollFunctions } from 'n8n-workflow';
import { readFilterTree } from '../../shared/kit/filter/readFilter';
import { ParameterReader } from '../../shared/kit/operation/parameters/parameterReader';
import type { logEndpoints } from '../../shared/model/endpoints/logs';
import type { FilterTree } from '../../shared/model/filter';
import { formatForError, InputError } from '../../shared/model/input/inputError';
import { parseEnum } from '../../shared/model/input/parseEnum';
import {
  changedFieldsOption,
  columnsOption,
  displayNamesOption,
  maximumShareOption,
  overlapOption,
  repeatOption,
  returnExistingOption,
} from './options';
import {
  dateFieldParameter,
  detectionParameter,
  eventsParameter,
  logParameter,
  outputParameter,
  pollTimesParameter,
  tableParameter,
  triggerOnParameter,
} from './properties';

/** The changes that a snapshot finds. */
const SNAPSHOT_EVENTS = ['INSERT', 'UPDATE', 'DELETE', 'LEFT_FILTER'] as const;

export type SnapshotEvent = (typeof SNAPSHOT_EVENTS)[number];

interface CommonParameters {
  timeZone: string;
  returnExisting: boolean;
  repeatAfterRestart: boolean;
  /** Seconds. */
  overlap: number;
}

/** A log; see `logEndpoints`. */
export type LogName = keyof typeof logEndpoints;

/** The parameters for log entries. */
export interface LogParameters extends CommonParameters {
  detection: 'log';
  log: LogName;
}

interface RecordParameters extends CommonParameters {
  tableId: string;
  filter?: FilterTree;
  output: 'event' | 'record';
  /** Fields to keep in the record, by slug or field ID; empty for all. */
  columns: string[];
  displayNames: boolean;
}

/** The parameters of the detection By a Date Field. */
export interface DateParameters extends RecordParameters {
  detection: 'date';
  dateField: string;
}

/** The parameters of the detection By Snapshot. */
export interface SnapshotParameters extends RecordParameters {
  detection: 'snapshot';
  events: SnapshotEvent[];
  /** Fields to compare, by slug or field ID; empty for all. */
  changedFields: string[];
  /** Percent. */
  maximumShare: number;
  /** Rows of the parameter Poll Times. */
  pollTimes: unknown[];
}

/** All parameters of the trigger, read once per poll. */
export type PollParameters = LogParameters | DateParameters | SnapshotParameters;

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

const readRecordParameters = (reader: ParameterReader, common: CommonParameters): RecordParameters => ({
  ...common,
  tableId: reader.read(tableParameter),
  filter: readFilterTree(reader),
  output: reader.read(outputParameter),
  columns: reader.readOption(columnsOption) ?? columnsOption.default,
  displayNames: reader.readOption(displayNamesOption) ?? displayNamesOption.default,
});

/** @throws InputError for a value that the form does not offer, or an expression that returns nothing */
export function readPollParameters(context: IPollFunctions): PollParameters {
  const reader = createPollReader(context);
  const common = {
    timeZone: context.getTimezone(),
    returnExisting: reader.readOption(returnExistingOption) ?? returnExistingOption.default,
    repeatAfterRestart: reader.readOption(repeatOption) ?? repeatOption.default,
    overlap: reader.readOption(overlapOption) ?? overlapOption.default,
  };
  if (reader.read(triggerOnParameter) === 'logEntries') {
    return { ...common, detection: 'log', log: reader.read(logParameter) };
  }

  const records = readRecordParameters(reader, common);
  if (reader.read(detectionParameter) === 'date') {
    return { ...records, detection: 'date', dateField: reader.read(dateFieldParameter) };
  }
  return {
    ...records,
    detection: 'snapshot',
    events: readSnapshotEvents(reader),
    changedFields: reader.readOption(changedFieldsOption) ?? changedFieldsOption.default,
    maximumShare: reader.readOption(maximumShareOption) ?? maximumShareOption.default,
    pollTimes: reader.read(pollTimesParameter),
  };
}
