import { asText } from '../data/table';
import { getRecord } from '../data/writes';
import { createValidationError } from '../http/errors';
import { BinaryResponse, type Call, defineRoute, type Routes } from '../http/route';
import { type PdfTemplate, renderPdf } from '../state/pdf';
import { createItemSuccess, createListSuccess, createSuccess, getById } from './common';

export const pdf = {
  'GET /api/v1.1/{appId}/pdf-pages': defineRoute({
    handle: ({ app }) => createListSuccess(app, app.pdfPages.map(formatTemplate)),
  }),

  'GET /api/v1.1/{appId}/pdf-pages/{pdfPageId}': defineRoute({
    handle: ({ app, params }) =>
      createItemSuccess(app, formatTemplate(getById(app.pdfPages, params.pdfPageId, 'PDF Page'))),
  }),

  'POST /api/v1.1/{appId}/pdf-pages/{pdfPageId}/create/{recordId}': defineRoute({
    handle: (call) => {
      const template = getById(call.app.pdfPages, call.params.pdfPageId, 'PDF Page');
      const record = getRecord(template.table, call.params.recordId ?? '', call);
      const values = template.table.fields.map(({ name, key }) => [name, asText(record[key])]);
      return createPdf(template, Object.fromEntries(values), call);
    },
  }),

  'GET /api/v1.1/{appId}/pdf-forms': defineRoute({
    handle: ({ app }) => createListSuccess(app, app.pdfForms.map(formatTemplate)),
  }),

  'GET /api/v1.1/{appId}/pdf-forms/{pdfFormId}': defineRoute({
    handle: ({ app, params }) =>
      createItemSuccess(app, formatTemplate(getById(app.pdfForms, params.pdfFormId, 'PDF Form'))),
  }),

  /** The body is "the record data for the PDF"; its keys are not shown, so any are accepted. */
  'POST /api/v1.1/{appId}/pdf-forms/{pdfFormId}/create': defineRoute({
    open: 'json',
    handle: (call) => {
      const template = getById(call.app.pdfForms, call.params.pdfFormId, 'PDF Form');
      const { entries } = call.payload;
      if (entries.length === 0) throw createValidationError({ body: ['This field is required'] });
      return createPdf(
        template,
        Object.fromEntries(entries.map(([key, value]) => [key, asText(value)])),
        call,
      );
    },
  }),
} satisfies Routes;

const formatTemplate = ({ id, name, table }: PdfTemplate) => ({ id, name, data_table_id: table.id });

/** The answer of PDF generation is "not shown"; an option chooses it. */
async function createPdf({ name }: PdfTemplate, values: Record<string, string>, { app }: Call) {
  const bytes = await renderPdf(name, values);
  const file = { filename: `${name}.pdf`, contentType: 'application/pdf', bytes };
  switch (app.options.pdfResponse) {
    case 'binary':
      return new BinaryResponse(file.contentType, file.filename, bytes);
    case 'base64':
      return createSuccess({ msg: 'PDF created', base64: bytes.toString('base64') });
    case 'url':
      return createSuccess({ msg: 'PDF created', download_url: app.files.store(file) });
  }
}
