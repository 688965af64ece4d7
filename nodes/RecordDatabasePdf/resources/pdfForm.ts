import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Item } from '../../shared/kit/item';
import { locator } from '../../shared/kit/listPicker';
import { callOperation, type Operation, type Resource } from '../../shared/kit/operation';
import { unanswered, v11 } from '../../shared/model/endpoint';
import { itemIn } from '../../shared/model/envelope';
import { InputError, shown } from '../../shared/model/inputError';
import { oneOf } from '../../shared/model/oneOf';
import { pdfOptions, pdfOutput } from './pdfOutput';

const form = locator('PdfForms', 'PDF Form', 'pdfFormId', 'The PDF form template to work with');
const createPdf = unanswered(v11('POST /pdf-forms/{pdfFormId}/create', 'once'));

const data: INodeProperties[] = [
  {
    displayName: 'Data',
    name: 'dataMode',
    type: 'options',
    default: 'input',
    description: 'Where the record data for the PDF comes from',
    options: [
      { name: 'Input Item', value: 'input', description: 'All values of the input item' },
      { name: 'JSON', value: 'json', description: 'An object with the values' },
    ],
  },
  {
    displayName: 'Data (JSON)',
    name: 'dataJson',
    type: 'json',
    default: '{\n  "company": "Example Ltd"\n}',
    required: true,
    description: 'The record data for the PDF: an object with the values by field',
    displayOptions: { show: { dataMode: ['json'] } },
  },
];

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @throws InputError for data that is no object, or empty: n8n does not send an empty one */
function dataOf(item: Item): IDataObject {
  const mode = oneOf(['input', 'json'] as const, item.value('dataMode', 'input'), 'Data');
  const given = mode === 'input' ? item.input.json : item.value('dataJson');
  const values = typeof given === 'string' ? parsed(given) : given;
  const isObject = typeof values === 'object' && values !== null && !Array.isArray(values);
  if (isObject && Object.keys(values).length > 0) return values as IDataObject;
  throw new InputError(
    `The data for the PDF cannot be ${shown(given)}`,
    'Give a JSON object with at least one value, such as {"company": "Example Ltd"}.',
  );
}

const create: Operation = {
  name: 'create',
  displayName: 'Create',
  action: 'Create a PDF from a form',
  description: 'Make a PDF of the data given here with a PDF form',
  endpoints: [createPdf],
  parameters: [form, ...data, pdfOptions],
  async run(item) {
    const path = { pdfFormId: item.id('pdfFormId') };
    const { body } = await item.client.call(createPdf, { path, body: dataOf(item), file: true });
    return pdfOutput(item, body);
  },
};

/** Spec: PDF. */
export const pdfForm: Resource = {
  name: 'pdfForm',
  displayName: 'PDF Form',
  operations: [
    create,
    callOperation({
      name: 'get',
      displayName: 'Get',
      action: 'Get a PDF form',
      description: 'Get the details of a PDF form template',
      endpoint: v11('GET /pdf-forms/{pdfFormId}'),
      parameters: [form],
      read: itemIn,
    }),
    callOperation({
      name: 'getAll',
      displayName: 'Get Many',
      action: 'Get many PDF forms',
      description: 'Get the PDF form templates of the application',
      endpoint: v11('GET /pdf-forms'),
      items: 'items',
    }),
  ],
};
