import type { IDisplayOptions } from 'n8n-workflow';
import { defineParameter } from '../operation/parameter';

/** Ends the description of a list that n8n loads, as its guidelines require. */
const FROM_LIST =
  'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.';

const FIELDS_OF_TABLE = { loadOptionsMethod: 'getFields', loadOptionsDependsOn: ['dataTableId.value'] };

/** Creates a list of fields of the picked table, of which the user may choose several. It is empty by default. */
export const createFieldList = <const N extends string>(
  name: N,
  displayName: string,
  description: string,
  displayOptions?: IDisplayOptions,
) =>
  defineParameter({
    displayName,
    name,
    type: 'multiOptions',
    default: [],
    typeOptions: FIELDS_OF_TABLE,
    description: `${description} ${FROM_LIST}`,
    ...(displayOptions && { displayOptions }),
  });
