import type { Field } from '../data/field';
import type { Table } from '../data/table';
import { notFound } from '../http/errors';
import { route, type Routes } from '../http/route';
import type { Application } from '../state/application';
import { success, tableById } from './common';

/** Responses are "not shown"; recalculation is no record change and fires no webhook. */
export const formulas = {
  'POST /api/v1/update-all-formula': route({ handle: ({ app }) => recalculate(app.tables) }),
  'POST /api/v1/update-all-formula/{dataTableId}': route({
    handle: (call) => recalculate([tableById(call.params.dataTableId, call)]),
  }),
  'POST /api/v1/update-field-formula-by-slug/{fieldSlug}': ofField('slug', 'fieldSlug'),
  'POST /api/v1/update-field-formula-by-slug/{fieldSlug}/force': ofField('slug', 'fieldSlug'),
  'POST /api/v1/update-field-formula-by-id/{fieldId}': ofField('fieldId', 'fieldId'),
  'POST /api/v1/update-field-formula-by-id/{fieldId}/force': ofField('fieldId', 'fieldId'),
} satisfies Routes;

/** A slug may name a formula in several tables; all of them are recalculated. */
function ofField(key: 'slug' | 'fieldId', param: string) {
  return route({
    handle: ({ app, params }) => {
      const isMeant = (field: Field) => field.formula !== undefined && field[key] === params[param];
      const owners = ownersOf(app, isMeant);
      if (owners.length === 0) throw notFound('Field');
      return recalculate(owners, isMeant);
    },
  });
}

const ownersOf = (app: Application, isMeant: (field: Field) => boolean): Table[] =>
  app.tables.filter(({ fields }) => fields.some(isMeant));

function recalculate(tables: readonly Table[], isMeant: (field: Field) => boolean = () => true) {
  for (const table of tables) {
    const fields = table.fields.filter(isMeant);
    for (const id of table.records.keys()) table.compute(id, fields);
  }
  return success({ msg: 'Formulas updated successfully' });
}
