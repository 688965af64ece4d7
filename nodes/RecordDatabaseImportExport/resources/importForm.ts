import type { INodeProperties } from 'n8n-workflow';
import { fileParts } from '../../shared/kit/binaryInput';
import type { Item } from '../../shared/kit/item';
import { InputError, shown } from '../../shared/model/inputError';
import { oneOf } from '../../shared/model/oneOf';

const SOURCES = ['file', 'dataSource'] as const;

const fieldsOption: INodeProperties = {
  displayName: 'Additional Form Fields',
  name: 'formFields',
  type: 'fixedCollection',
  placeholder: 'Add Field',
  default: {},
  typeOptions: { multipleValues: true },
  description: 'Further fields of the form that your import expects',
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
          description: 'The text that the form field carries',
        },
      ],
    },
  ],
};

/** Options of the upload's form. */
export const formOptions: INodeProperties[] = [
  fieldsOption,
  {
    displayName: 'Data Source Field Name',
    name: 'dataSourceField',
    type: 'string',
    default: 'data_source',
    description: 'Name of the form field that carries the data source',
    displayOptions: { show: { '/source': ['dataSource'] } },
  },
  {
    displayName: 'File Field Name',
    name: 'fileField',
    type: 'string',
    default: 'file',
    description: 'Name of the form field that carries the file',
    displayOptions: { show: { '/source': ['file'] } },
  },
];

const nameIn = (option: unknown, usual: string): string => String(option ?? '').trim() || usual;

/** @throws InputError for a field without a name, or with an object or nothing for a value */
function formField(name: unknown, value: unknown): [name: string, value: string] {
  const key = String(name ?? '').trim();
  const isText = value === null || (typeof value !== 'object' && value !== undefined);
  if (key !== '' && isText) return [key, String(value ?? '')];
  throw new InputError(
    `Additional Form Fields cannot hold ${shown(isText ? name : value)}`,
    'Give each field a name, and text as its value. An expression here may have found nothing.',
  );
}

/**
 * The upload as the platform's own form: n8n can send it again after a new login, which a stream cannot
 * be. The names of the parts are "not shown" in the spec (Imports and exports): they can be changed, and any
 * other field added.
 */
export async function formOf(item: Item): Promise<FormData> {
  const form = new FormData();
  const { fields = [] } = (item.options.formFields ?? {}) as {
    fields?: Array<{ name: string; value: unknown }>;
  };
  for (const { name, value } of fields) form.append(...formField(name, value));
  if (oneOf(SOURCES, item.value('source', 'file'), 'Source') === 'file') {
    const field = nameIn(item.options.fileField, 'file');
    const parts = await fileParts(item, item.text('binaryPropertyName'));
    for (const { data, fileName, mimeType } of parts) {
      form.append(field, new Blob([data as Uint8Array<ArrayBuffer>], { type: mimeType }), fileName);
    }
    if (parts.length === 0) {
      throw new InputError('There is no file to import', 'Name the input binary field, mostly "data".');
    }
  } else {
    const source = item.text('dataSource');
    if (source === '') {
      throw new InputError(
        'Data Source is empty: there is nothing to import',
        'Give the text that the import reads. An expression here may have found nothing.',
      );
    }
    form.append(nameIn(item.options.dataSourceField, 'data_source'), source);
  }
  return form;
}
