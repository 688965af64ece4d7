import { asText } from '../data/table';
import { findRecord } from '../data/writes';
import { invalid } from '../http/errors';
import { BinaryAnswer, route, type Call, type Routes } from '../http/route';
import { makePdf, type PdfTemplate } from '../state/pdf';
import { byId, success } from './common';

export const pdf = {
  'GET /api/v1.1/{appId}/pdf-pages': route({ handle: ({ app }) => list(app.pdfPages) }),

  'GET /api/v1.1/{appId}/pdf-pages/{pdfPageId}': route({
    handle: ({ app, params }) => success({ item: shown(byId(app.pdfPages, params.pdfPageId, 'PDF Page')) }),
  }),

  'POST /api/v1.1/{appId}/pdf-pages/{pdfPageId}/create/{recordId}': route({
    handle: (call) => {
      const template = byId(call.app.pdfPages, call.params.pdfPageId, 'PDF Page');
      const record = findRecord(template.table, call.params.recordId ?? '', call);
      const values = template.table.fields.map(({ name, slug }) => [name, asText(record[slug])]);
      return create(template, Object.fromEntries(values), call);
    },
  }),

  'GET /api/v1.1/{appId}/pdf-forms': route({ handle: ({ app }) => list(app.pdfForms) }),

  'GET /api/v1.1/{appId}/pdf-forms/{pdfFormId}': route({
    handle: ({ app, params }) => success({ item: shown(byId(app.pdfForms, params.pdfFormId, 'PDF Form')) }),
  }),

  /** The data's keys are "not shown" beyond being the record data, so any are taken. */
  'POST /api/v1.1/{appId}/pdf-forms/{pdfFormId}/create': route({
    open: 'json',
    handle: (call) => {
      const template = byId(call.app.pdfForms, call.params.pdfFormId, 'PDF Form');
      const { entries } = call.payload;
      if (entries.length === 0) throw invalid({ body: ['This field is required'] });
      return create(template, Object.fromEntries(entries.map(([key, value]) => [key, asText(value)])), call);
    },
  }),
} satisfies Routes;

const shown = ({ id, name, table }: PdfTemplate) => ({ id, name, data_table_id: table.id });
const list = (templates: PdfTemplate[]) =>
  success({ items: templates.map(shown), total_items: templates.length });

/** How a PDF comes back is "not shown"; the option picks one of the plausible ways. */
async function create({ name }: PdfTemplate, values: Record<string, string>, { app }: Call) {
  const bytes = await makePdf(name, values);
  const file = { filename: `${name}.pdf`, contentType: 'application/pdf', bytes };
  switch (app.options.pdfResponse) {
    case 'binary':
      return new BinaryAnswer(file.contentType, file.filename, bytes);
    case 'base64':
      return success({ msg: 'PDF created', base64: bytes.toString('base64') });
    case 'url':
      return success({ msg: 'PDF created', download_url: app.files.store(file) });
  }
}
