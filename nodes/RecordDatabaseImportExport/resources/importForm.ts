import { defineParameter } from '../../shared/kit/operation/parameter';

export const source = defineParameter({
  displayName: 'Source',
  name: 'source',
  type: 'options',
  default: 'file',
  description: 'Where the rows come from',
  options: [
    { name: 'File', value: 'file', description: 'A file in the input, such as a CSV file' },
    { name: 'Data Source', value: 'dataSource', description: 'Text in a format that the import accepts' },
  ],
});

export const binaryField = defineParameter({
  displayName: 'Input Binary Field',
  name: 'binaryPropertyName',
  type: 'string',
  default: 'data',
  required: true,
  hint: 'The name of the input binary field containing the file to be uploaded',
  displayOptions: { show: { source: ['file'] } },
});

export const dataSource = defineParameter({
  displayName: 'Data Source',
  name: 'dataSource',
  type: 'string',
  typeOptions: { rows: 4 },
  default: '',
  required: true,
  description: 'The text to import in place of a file',
  displayOptions: { show: { source: ['dataSource'] } },
});

/** The parameters for the file or text to import. */
export const importSourceParameters = [source, binaryField, dataSource];

export const formFieldsOption = defineParameter({
  displayName: 'Additional Form Fields',
  name: 'formFields',
  type: 'fixedCollection',
  placeholder: 'Add Field',
  default: {},
  typeOptions: { multipleValues: true },
  description: 'Further form fields that the import expects',
  options: [
    {
      displayName: 'Field',
      name: 'fields',
      values: [
        {
          displayName: 'Name',
          name: 'name',
          type: 'string',
          default: '',
          description: 'The name of the form field',
        },
        {
          displayName: 'Value',
          name: 'value',
          type: 'string',
          default: '',
          description: 'The text of the form field',
        },
      ],
    },
  ],
});

export const dataSourceFieldOption = defineParameter({
  displayName: 'Data Source Field Name',
  name: 'dataSourceField',
  type: 'string',
  default: 'data_source',
  description: 'Name of the form field for the data source',
  displayOptions: { show: { '/source': ['dataSource'] } },
});

export const fileFieldOption = defineParameter({
  displayName: 'File Field Name',
  name: 'fileField',
  type: 'string',
  default: 'file',
  description: 'Name of the form field for the file',
  displayOptions: { show: { '/source': ['file'] } },
});

/** The options that set the names and additional fields of the upload form. */
export const importFormOptions = [formFieldsOption, dataSourceFieldOption, fileFieldOption];

/** The options for the names of the form fields of an upload that is always a file. */
export const csvFormOptions = [formFieldsOption, { ...fileFieldOption, displayOptions: undefined }];
