import { locator } from '../../shared/kit/listPicker';
import { callOperation, type Operation, type Resource } from '../../shared/kit/operation';
import { recordId } from '../../shared/kit/pickers';
import { unanswered, v11 } from '../../shared/model/endpoint';
import { itemIn } from '../../shared/model/envelope';
import { pdfOptions, pdfOutput } from './pdfOutput';

const page = locator('PdfPages', 'PDF Page', 'pdfPageId', 'The PDF page template to work with');
const createPdf = unanswered(v11('POST /pdf-pages/{pdfPageId}/create/{recordId}', 'once'));

const create: Operation = {
  name: 'create',
  displayName: 'Create',
  action: 'Create a PDF from a page',
  description: 'Make a PDF of one record with a PDF page',
  endpoints: [createPdf],
  parameters: [page, recordId, pdfOptions],
  async run(item) {
    const path = { pdfPageId: item.id('pdfPageId'), recordId: item.id('recordId') };
    const { body } = await item.client.call(createPdf, { path, file: true });
    return pdfOutput(item, body, path.recordId);
  },
};

/** Spec: PDF. */
export const pdfPage: Resource = {
  name: 'pdfPage',
  displayName: 'PDF Page',
  operations: [
    create,
    callOperation({
      name: 'get',
      displayName: 'Get',
      action: 'Get a PDF page',
      description: 'Get the details of a PDF page template',
      endpoint: v11('GET /pdf-pages/{pdfPageId}'),
      parameters: [page],
      read: itemIn,
    }),
    callOperation({
      name: 'getAll',
      displayName: 'Get Many',
      action: 'Get many PDF pages',
      description: 'Get the PDF page templates of the application',
      endpoint: v11('GET /pdf-pages'),
      items: 'items',
    }),
  ],
};
