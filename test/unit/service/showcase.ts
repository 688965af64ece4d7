import { Table } from '../../../nodes/records';
import { toField } from '../../../nodes/records/fields/kinds';
import { defaultOptions } from '../../service/options';
import { fillSample } from '../../service/sample';
import { Application } from '../../service/state/application';
import { systemClock } from '../../service/state/time';

/** The state of the embedded service without its server, with the same codecs and filters. */
export function createShowcase(name = 'Showcase') {
  const app = new Application({ ...defaultOptions, types: 'met', clock: systemClock });
  fillSample(app);
  const stored = app.findTable(app.tables.find((one) => one.name === name)!.id)!;
  const reports: string[] = [];
  const access = { app, report: (message: string) => void reports.push(message) };
  const fields = stored.fields.map((field) =>
    toField({
      slug: field.slug,
      fieldId: field.fieldId,
      name: field.name,
      type: field.type,
      description: field.description,
      default_value: field.defaultValue,
      is_unique: field.unique ? 'Yes' : 'No',
      options: field.options,
      join: field.to ? { join_type: field.many ? '1-to-N' : '1-to-1', data_table_id: '' } : undefined,
    }),
  );
  return { app, stored, access, reports, table: new Table(stored.id, fields) };
}
