import { createLocator, MADE_IN_BUILDER_HINT } from '../../n8n/lists/listPicker';
import { recordLocator } from '../../n8n/lists/recordPicker';
import { createOptionalTable, hideUntilPicked } from '../../n8n/lists/tablePickers';
import {
  type Operation,
  type Resource,
  createGetOperation,
  createListOperation,
} from '../../n8n/operation/operation';
import { pdfPageEndpoints } from '../../service';
import { createPdf, pdfOptions } from './pdfOutput';

const pageLocator = createLocator('PdfPages', 'PDF Page', 'pdfPageId', 'The PDF page template to work with', {
  hint: MADE_IN_BUILDER_HINT,
});

const tableParameter = createOptionalTable('The table of the record, to pick it from the list');

const create: Operation = {
  name: 'create',
  displayName: 'Create',
  action: 'Create PDF from page',
  description: 'Create a PDF of one record with a PDF page template',
  writes: true,
  parameters: [pageLocator, tableParameter, ...hideUntilPicked('pdfPageId', [recordLocator]), pdfOptions],
  async run(item) {
    const path = { pdfPageId: item.read(pageLocator), recordId: item.read(recordLocator) };
    return createPdf(item, pdfPageEndpoints.create, { path }, path.recordId);
  },
};

/** Spec: PDF. */
export const pdfPage: Resource = {
  name: 'pdfPage',
  displayName: 'PDF Page',
  operations: [
    create,
    createGetOperation({
      action: 'Get PDF page',
      description: 'Get the details of a PDF page template',
      endpoint: pdfPageEndpoints.get,
      parameters: [pageLocator],
    }),
    createListOperation({
      action: 'Get many PDF pages',
      description: 'Get the PDF page templates of the application',
      endpoint: pdfPageEndpoints.list,
    }),
  ],
};
