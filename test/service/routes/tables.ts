import type { Field } from '../data/field';
import { MET_TYPE_NAMES } from '../data/fieldTypes';
import { defineRoute, type Routes } from '../http/route';
import type { ServiceOptions } from '../options';
import type { Application } from '../state/application';
import { createSuccess, getTableById } from './common';

export const tables = {
  'GET /api/v1/data-tables': defineRoute({
    handle: ({ app }) => {
      const data_tables = app.tables.map(({ id, name }) => ({ id, name }));
      return createSuccess({ data_tables, total_items: data_tables.length });
    },
  }),

  'GET /api/v1/data-tables/{dataTableId}/fields': defineRoute({
    handle: (call) => {
      const { fields } = getTableById(call.params.dataTableId, call);
      const items = fields.map((field) => {
        const { slug, name } = field;
        return { slug, name, type: formatType(field, call.app.options, 'basic') };
      });
      const listed = listSystemColumns(call.app).concat(items);
      return createSuccess({ fields: listed, total_items: listed.length });
    },
  }),

  'GET /api/v1/data-tables/{dataTableId}/full-fields-info': defineRoute({
    handle: (call) => {
      const { fields } = getTableById(call.params.dataTableId, call);
      const full = fields.map((field) => formatFullField(field, call.app));
      return createSuccess({ fields: [...listSystemColumns(call.app), ...full] });
    },
  }),

  'GET /api/v1/roles': defineRoute({
    handle: ({ app }) => createSuccess({ items: app.roles, total_items: app.roles.length }),
  }),
} satisfies Routes;

/** The keys of every record that a list of fields names (`ServiceOptions.systemColumns`). */
const listSystemColumns = ({ options }: Application) =>
  options.systemColumns === 'listed' ? [{ slug: 'created_at', name: 'Date Created', type: 'Auto Date' }] : [];

/** The name of a field's type (`ServiceOptions.types` and `connectionType`). */
function formatType(
  { type }: Field,
  { types, connectionType }: ServiceOptions,
  list: 'basic' | 'full',
): string {
  if (type === 'Connection') {
    const mixed = list === 'basic' ? 'Join' : 'Connection';
    return connectionType === 'mixed' ? mixed : connectionType;
  }
  return (types === 'met' && MET_TYPE_NAMES[type]) || type;
}

/** Spec: Field (full). It does not show whether a field is required. */
function formatFullField(field: Field, app: Application) {
  const { slug, fieldId, name, description, defaultValue, unique, options } = field;
  return {
    slug,
    fieldId,
    name,
    type: formatType(field, app.options, 'full'),
    description,
    default_value: defaultValue,
    is_unique: unique ? 'Yes' : 'No',
    options,
    ...(field.type === 'Connection' && { join: formatJoin(field, app) }),
  };
}

function formatJoin({ to = '', many }: Field, app: Application) {
  const target = app.findTable(to);
  const shown = target?.fields.find(({ format }) => format.kind === 'text');
  return {
    join_type: many ? '1-to-N' : '1-to-1',
    data_table_id: target?.id,
    field_slug: shown?.slug,
    field_id: shown?.fieldId,
  };
}
