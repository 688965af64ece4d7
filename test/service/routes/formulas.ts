import type { Field } from '../data/field';
import type { Table } from '../data/table';
import { createNotFoundError } from '../http/errors';
import { defineRoute, type Routes } from '../http/route';
import type { Application } from '../state/application';
import { createSuccess, getTableById } from './common';

/** Responses are "not shown". A recalculation is not a record change and sends no webhook. */
export const formulas = {
  'POST /api/v1/update-all-formula': defineRoute({ handle: ({ app }) => recalculate(app.tables) }),
  'POST /api/v1/update-all-formula/{dataTableId}': defineRoute({
    handle: (call) => recalculate([getTableById(call.params.dataTableId, call)]),
  }),
  'POST /api/v1/update-field-formula-by-slug/{fieldSlug}': createFieldRoute('slug', 'fieldSlug'),
  'POST /api/v1/update-field-formula-by-slug/{fieldSlug}/force': createFieldRoute('slug', 'fieldSlug'),
  'POST /api/v1/update-field-formula-by-id/{fieldId}': createFieldRoute('fieldId', 'fieldId'),
  'POST /api/v1/update-field-formula-by-id/{fieldId}/force': createFieldRoute('fieldId', 'fieldId'),
} satisfies Routes;

/** A slug may name a formula in several tables; all of them are recalculated. */
function createFieldRoute(key: 'slug' | 'fieldId', param: string) {
  return defineRoute({
    handle: ({ app, params }) => {
      const isMeant = (field: Field) => field.formula !== undefined && field[key] === params[param];
      const owners = findOwners(app, isMeant);
      if (owners.length === 0) throw createNotFoundError('Field');
      return recalculate(owners, isMeant);
    },
  });
}

const findOwners = (app: Application, isMeant: (field: Field) => boolean): Table[] =>
  app.tables.filter(({ fields }) => fields.some(isMeant));

function recalculate(tables: readonly Table[], isMeant: (field: Field) => boolean = () => true) {
  for (const table of tables) {
    const fields = table.fields.filter(isMeant);
    for (const id of table.records.keys()) table.compute(id, fields);
  }
  return createSuccess({ msg: 'Formulas updated successfully' });
}
