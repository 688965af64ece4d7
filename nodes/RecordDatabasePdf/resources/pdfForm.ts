/** The PDF Form operations: list, get, and create a PDF from values (spec: PDF). */
import type { IDataObject } from 'n8n-workflow';
import { createFromAiDefault } from '../../n8n/agent/toolForm';
import { createLocator, MADE_IN_BUILDER_HINT } from '../../n8n/lists/listPicker';
import type { Item } from '../../n8n/operation/item';
import {
  type Operation,
  type Resource,
  createGetOperation,
  createListOperation,
} from '../../n8n/operation/operation';
import { defineParameter } from '../../n8n/parameters/parameter';
import { formatForError, InputError, isObject, parseJson, pdfFormEndpoints } from '../../service';
import { createPdf, pdfOptions } from './pdfOutput';

const formLocator = createLocator('PdfForms', 'PDF Form', 'pdfFormId', 'The PDF form template to work with', {
  hint: MADE_IN_BUILDER_HINT,
});

const JSON_OPTION = { name: 'JSON', value: 'json', description: 'An object with the values' } as const;

const dataModeParameter = defineParameter({
  displayName: 'Data',
  name: 'dataMode',
  type: 'options',
  default: 'input',
  description: 'Where the record data for the PDF comes from',
  options: [{ name: 'Input Item', value: 'input', description: 'All values of the input item' }, JSON_OPTION],
  inTools: { default: JSON_OPTION.value, options: [JSON_OPTION] },
});

const DATA_DESCRIPTION =
  'JSON object with the values of the PDF by field. Example: {"company": "Example Ltd"}.';

const dataJsonParameter = defineParameter({
  displayName: 'Data (JSON)',
  name: 'dataJson',
  type: 'json',
  default: '{\n  "company": "Example Ltd"\n}',
  required: true,
  description: DATA_DESCRIPTION,
  inTools: { default: createFromAiDefault('data', DATA_DESCRIPTION) },
  displayOptions: { show: { dataMode: ['json'] } },
});

/** @throws InputError if the data is not an object, or is an empty object, for which n8n would send no body */
function readPdfData(item: Item): IDataObject {
  const given = item.read(dataModeParameter) === 'input' ? item.inputValues : item.read(dataJsonParameter);
  const values = typeof given === 'string' ? parseJson(given) : given;
  if (isObject(values) && Object.keys(values).length > 0) return values as IDataObject;
  throw new InputError(
    `The data for the PDF cannot be ${formatForError(given)}`,
    'Give a JSON object with at least one value, such as {"company": "Example Ltd"}.',
  );
}

const create: Operation = {
  name: 'create',
  displayName: 'Create',
  action: 'Create PDF from form',
  description: 'Create a PDF from data with a PDF form template',
  writes: true,
  parameters: [formLocator, dataModeParameter, dataJsonParameter, pdfOptions],
  async run(item) {
    const path = { pdfFormId: item.read(formLocator) };
    return createPdf(item, pdfFormEndpoints.create, { path, body: readPdfData(item) });
  },
};

export const pdfForm: Resource = {
  name: 'pdfForm',
  displayName: 'PDF Form',
  operations: [
    create,
    createGetOperation({
      action: 'Get PDF form',
      description: 'Get the details of a PDF form template',
      endpoint: pdfFormEndpoints.get,
      parameters: [formLocator],
    }),
    createListOperation({
      action: 'Get many PDF forms',
      description: 'Get the PDF form templates of the application',
      endpoint: pdfFormEndpoints.list,
    }),
  ],
};
