import { readFileParts } from '../../shared/kit/files/binaryInput';
import { Item } from '../../shared/kit/operation/item';
import { formatForError, InputError } from '../../shared/model/input/inputError';
import {
  binaryField,
  dataSource,
  dataSourceFieldOption,
  fileFieldOption,
  formFieldsOption,
  source,
} from './importForm';
/** @throws InputError for a field without a name, or whose value is an object or undefined */
function readFormField(name: unknown, value: unknown): [name: string, value: string] {
  const key = String(name ?? '').trim();
  const isText = value === null || (typeof value !== 'object' && value !== undefined);
  if (key !== '' && isText) return [key, String(value ?? '')];
  throw new InputError(
    `Additional Form Fields cannot hold ${formatForError(isText ? name : value)}`,
    'Give each field a name, and text as its value. An expression may have returned nothing.',
  );
}

/** Creates a form with the additional fields. @throws InputError */
function createForm(item: Item): FormData {
  const form = new FormData();
  for (const { name, value } of item.readOption(formFieldsOption) ?? []) {
    form.append(...readFormField(name, value));
  }
  return form;
}

/** Builds the upload of a CSV file that holds items. */
export function buildCsvForm(item: Item, csv: string): FormData {
  const form = createForm(item);
  const field = item.readOption(fileFieldOption) || fileFieldOption.default;
  form.append(field, new Blob([csv], { type: 'text/csv' }), 'items.csv');
  return form;
}

/**
 * Builds the upload as a `FormData`. Unlike a stream, n8n can send it a second time after a new login. The spec does
 * not show the names of the form fields (Imports and exports), so options change them and add further fields.
 */
export async function buildImportForm(item: Item): Promise<FormData> {
  const form = createForm(item);
  if (item.read(source) === 'file') {
    const field = item.readOption(fileFieldOption) || fileFieldOption.default;
    const parts = await readFileParts(item, item.read(binaryField));
    for (const { data, fileName, mimeType } of parts) {
      form.append(field, new Blob([data as Uint8Array<ArrayBuffer>], { type: mimeType }), fileName);
    }
    if (parts.length === 0) {
      throw new InputError(
        'There is no file to import',
        'Give the name of the input binary field, usually "data".',
      );
    }
  } else {
    form.append(
      item.readOption(dataSourceFieldOption) || dataSourceFieldOption.default,
      item.read(dataSource),
    );
  }
  return form;
}
