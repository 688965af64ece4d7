import {
  createCallOperation,
  createListOperation,
  type Operation,
  type Resource,
} from '../../shared/kit/operation/operation';
import { createLocator } from '../../shared/kit/pickers/listPicker';
import { recordLocator } from '../../shared/kit/pickers/recordPicker';
import { tableLocator } from '../../shared/kit/pickers/tablePickers';
import { pdfPageEndpoints } from '../../shared/model/endpoints/pdf';
import { buildPdfOutput, pdfOptions } from './pdfOutput';

const page = createLocator('PdfPages', 'PDF Page', 'pdfPageId', 'The PDF page template to work with');

const recordTable = {
  ...tableLocator,
  required: false,
  description: 'The table of the record. Needed only to pick the record from the list.',
} as const;

const create: Operation = {
  name: 'create',
  displayName: 'Create',
  action: 'Create PDF from page',
  description: 'Create a PDF of one record with a PDF page template',
  endpoints: [pdfPageEndpoints.create],
  parameters: [page, recordTable, recordLocator, pdfOptions],
  async run(item) {
    const path = { pdfPageId: item.read(page), recordId: item.read(recordLocator) };
    const { body } = await item.client.call(pdfPageEndpoints.create, { path, file: true });
    item.hasStarted = true;
    return buildPdfOutput(item, body, path.recordId);
  },
};

/** Spec: PDF. */
export const pdfPage: Resource = {
  name: 'pdfPage',
  displayName: 'PDF Page',
  operations: [
    create,
    createCallOperation({
      name: 'get',
      displayName: 'Get',
      action: 'Get PDF page',
      description: 'Get the details of a PDF page template',
      endpoint: pdfPageEndpoints.get,
      parameters: [page],
    }),
    createListOperation({
      name: 'getAll',
      displayName: 'Get Many',
      action: 'Get many PDF pages',
      description: 'Get the PDF page templates of the application',
      endpoint: pdfPageEndpoints.list,
    }),
  ],
};
