import type { Field } from '../data/field';
import { route, type Routes } from '../http/route';
import type { Application } from '../state/application';
import { success, tableById } from './common';

export const tables = {
  'GET /api/v1/data-tables': route({
    handle: ({ app }) => {
      const data_tables = app.tables.map(({ id, name }) => ({ id, name }));
      return success({ data_tables, total_items: data_tables.length });
    },
  }),

  'GET /api/v1/data-tables/{dataTableId}/fields': route({
    handle: (call) => {
      const { fields } = tableById(call.params.dataTableId, call);
      const items = fields.map(({ slug, name, type }) => ({ slug, name, type }));
      return success({ fields: items, total_items: items.length });
    },
  }),

  'GET /api/v1/data-tables/{dataTableId}/full-fields-info': route({
    handle: (call) => {
      const { fields } = tableById(call.params.dataTableId, call);
      return success({ fields: fields.map((field) => fullField(field, call.app)) });
    },
  }),

  'GET /api/v1/roles': route({
    handle: ({ app }) => success({ items: app.roles, total_items: app.roles.length }),
  }),
} satisfies Routes;

/** Spec: Field (full). That a field is required shows nowhere: only a refused write tells. */
function fullField(field: Field, app: Application) {
  const { slug, fieldId, name, type, description, defaultValue, unique, options } = field;
  return {
    slug,
    fieldId,
    name,
    type,
    description,
    default_value: defaultValue,
    is_unique: unique ? 'Yes' : 'No',
    options,
    ...(type === 'Connection' && { join: join(field, app) }),
  };
}

function join({ to = '', many }: Field, app: Application) {
  const target = app.table(to);
  const shown = target?.fields.find(({ format }) => format.kind === 'text');
  return {
    join_type: many ? '1-to-N' : '1-to-1',
    data_table_id: target?.id,
    field_slug: shown?.slug,
    field_id: shown?.fieldId,
  };
}
