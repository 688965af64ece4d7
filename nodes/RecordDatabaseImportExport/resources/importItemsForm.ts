import type { CellNotation } from '../../client/files/csv';
import { parseNames } from '../../client/input/values';
import { maximumWaitOption } from '../../n8n/jobs/waitForm';
import type { Item } from '../../n8n/operation/item';
import { createOptions, defineParameter } from '../../n8n/parameters/parameter';
import { csvFormOptions } from './importForm';

const columns = defineParameter({
  displayName: 'Columns',
  name: 'columns',
  type: 'string',
  default: '',
  placeholder: 'e.g. company, email, name[first_name]',
  description:
    'Keys of the items to upload, separated by commas, in the order of the columns. Leave empty for all keys. The import template must know the names of the columns.',
  hint: 'Dates: 2025-03-31 or 2025-03-31 08:00:00. Lists: a,b in one cell. Yes or no: 1 or 0. An object becomes one column for each part: name[first_name], address[city], and term__start and term__end of a Calendar. Files are not uploaded.',
});

const ifRowsFail = defineParameter({
  displayName: 'If Rows Fail',
  name: 'ifRowsFail',
  type: 'options',
  default: 'error',
  description:
    'What to do when the service refuses rows. It imports the other rows of the upload in any case.',
  options: [
    {
      name: 'Return an Error',
      value: 'error',
      description:
        'For each refused row, or for the whole upload if it is not certain which items the rows are',
    },
    { name: 'Return the Counts', value: 'return', description: 'One item for each upload' },
  ],
});

const datesOption = defineParameter({
  displayName: 'Dates with a Time Zone',
  name: 'dates',
  type: 'options',
  default: 'convert',
  options: [
    {
      name: 'Convert to 2025-03-31 08:00:00',
      value: 'convert',
      description: 'In the time zone of the workflow. Midnight in UTC becomes the date alone.',
    },
    { name: 'Upload Unchanged', value: 'unchanged' },
  ],
  description: 'What to do with text such as 2025-03-31T08:00:00.000Z, and with dates of expressions',
});

const listSeparatorOption = defineParameter({
  displayName: 'List Separator',
  name: 'listSeparator',
  type: 'string',
  default: ',',
  description: 'What separates the entries of a list in one cell',
});

const rowsPerUploadOption = defineParameter({
  displayName: 'Rows per Upload',
  name: 'rowsPerUpload',
  type: 'number',
  typeOptions: { minValue: 1 },
  default: 5000,
  description:
    'Maximum number of items in one file. An upload also ends at 8 MB. The next upload starts when the import of the one before has ended.',
});

/** The parameters of Run With Items after the import template. */
export const importItemsForm = [
  columns,
  ifRowsFail,
  createOptions(
    ...csvFormOptions,
    datesOption,
    listSeparatorOption,
    { ...maximumWaitOption, displayOptions: undefined },
    rowsPerUploadOption,
  ),
];

/** How items are imported. The values apply to all items. */
export interface ImportSettings {
  /** Names of the columns in their order; empty for all keys of the items. */
  columns: string[];
  notation: CellNotation;
  rowsPerUpload: number;
  /** Seconds to wait for the end of one upload. */
  limitSeconds: number;
  /** Whether a refused row is an error. */
  failsForRows: boolean;
}

/** Reads the form, before anything is sent. @throws InputError */
export function readImportSettings(item: Item): ImportSettings {
  const converts = item.readOption(datesOption) !== 'unchanged';
  return {
    columns: parseNames(item.read(columns)),
    notation: {
      timeZone: converts ? item.timeZone : undefined,
      listSeparator: item.readOption(listSeparatorOption) || listSeparatorOption.default,
    },
    rowsPerUpload: item.readOption(rowsPerUploadOption) ?? rowsPerUploadOption.default,
    limitSeconds: item.readOption(maximumWaitOption) ?? maximumWaitOption.default,
    failsForRows: item.read(ifRowsFail) === 'error',
  };
}
