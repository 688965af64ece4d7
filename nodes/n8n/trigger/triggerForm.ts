import { mapKeys } from 'lodash';
import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';
import type { FilterTree } from '../../records';
import { connectedFieldsOption } from '../columns/connectedFields';
import {
  conditionsParameter,
  filterModeParameter,
  baseFilterParametersOption,
  triggerFilterForm,
} from '../filter/filterForm';
import { readFilterTree } from '../filter/readFilter';
import { defineFieldList } from '../lists/tablePickers';
import { type ParameterReader, defineParameter, showWhen } from '../parameters/parameter';

interface TriggerFormSettings {
  whenTableIsChosen: IDisplayOptions;
  /** When the inputs about records are shown; by default, always. */
  forRecords?: IDisplayOptions['show'];
  filterDescription?: string;
  /** When Watched Fields is shown: only if the trigger reports updated records. */
  forUpdates: IDisplayOptions['show'];
  watchedDescription: string;
  watchedHint: string;
}

export interface SharedTriggerParameters {
  filter?: FilterTree;
  output: 'event' | 'record';
  /** Slugs or IDs of the fields to keep in the record; empty for all. */
  columns: string[];
  /** Slugs or IDs of fields of which at least one must change; empty for any field. */
  changedFields: string[];
  displayNames: boolean;
  /** Fields of connected records to add to the record, such as `Customer → Email`. */
  connectedFields: string[];
}

/** A trigger shows no hint about the time zone of `created_at`, so the form names the zone. */
const CONDITIONS_DESCRIPTION = `${conditionsParameter.description}. Created At is in the Service Time Zone of the credential, or that of the workflow if it names none.`;

export function createTriggerForm({
  whenTableIsChosen,
  forRecords,
  filterDescription = 'Which records start the workflow',
  forUpdates,
  watchedDescription,
  watchedHint,
}: TriggerFormSettings) {
  const filter = triggerFilterForm.map((parameter): INodeProperties => {
    const shown = {
      ...parameter,
      ...(parameter.name === filterModeParameter.name && { description: filterDescription }),
      ...(parameter.name === conditionsParameter.name && { description: CONDITIONS_DESCRIPTION }),
      displayOptions: parameter.displayOptions ?? whenTableIsChosen,
    };
    return showWhen(shown, forRecords);
  });
  const forOptions = mapKeys(forRecords, (_, name) => `/${name}`);

  const changedFields = {
    ...defineFieldList('changedFields', 'Watched Fields Names or IDs', watchedDescription),
    hint: watchedHint,
    displayOptions: { show: forUpdates },
  };
  const output = defineParameter({
    displayName: 'Output',
    name: 'output',
    type: 'options',
    default: 'record',
    // n8n 1.123 reads the keys of `show`, so `show` must not be undefined.
    displayOptions: { show: { ...forRecords } },
    description: 'Data of the item that starts the workflow',
    options: [
      {
        name: 'Event',
        value: 'event',
        description:
          'Event, tableId, tableName, record and timestamp. The record is as the service sends it.',
      },
      {
        name: 'Record Only',
        value: 'record',
        description: 'The fields of the record, as Get Many returns them, with "_event" and "_table"',
      },
      {
        name: 'Record Only, Field Names as Keys',
        value: 'namedRecord',
        description: 'The same with "Credit Limit" in place of "credit_limit"',
      },
    ],
  });
  const columnsDescription = 'The other fields of the record are left out. Leave empty for all.';
  const columns = defineFieldList('columns', 'Fields to Return Names or IDs', columnsDescription);
  const options = [columns, connectedFieldsOption, baseFilterParametersOption];
  return {
    changedFields,
    filter,
    output,
    options: options.map((option) => showWhen<INodeProperties>(option, forOptions)),
    /** @throws InputError for a value that the form does not offer, or an expression that returns nothing */
    read(reader: ParameterReader): SharedTriggerParameters {
      const chosen = reader.read(output);
      return {
        filter: readFilterTree(reader),
        output: chosen === 'event' ? 'event' : 'record',
        columns: reader.readOptionOrDefault(columns),
        connectedFields: reader.readOptionOrDefault(connectedFieldsOption),
        changedFields: reader.read(changedFields),
        displayNames: chosen === 'namedRecord',
      };
    },
  };
}
