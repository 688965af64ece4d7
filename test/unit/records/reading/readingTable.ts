import { Table } from '../../../../nodes/records';
import { parseField } from '../fields/fieldTools';

/** Creates a table with these fields. */
export const createTable = (
  ...fields: Array<[slug: string, type: string, joinType?: string, name?: string]>
) =>
  new Table(
    't',
    fields.map(([slug, type, joinType, name = slug]) =>
      parseField({ slug, fieldId: `f_${slug}`, name, type, join: { join_type: joinType } }),
    ),
  );

/** A table with a field of each form that a simplified record changes. */
export const table = createTable(
  ['company', 'Text'],
  ['owner', 'Connection', 'N-to-1', 'Account Owner'],
  ['tags', 'Connection', 'N-to-N'],
  ['parent', 'Connection', '1-to-1'],
  ['parent_id', 'Text'],
  ['seller', 'User'],
  ['person', 'Name'],
  ['home', 'Address'],
  ['term', 'Calendar'],
  ['rental', 'Number'],
  ['rental_val', 'Text'],
  ['scan', 'File'],
  ['shop', 'Link'],
  ['colours', 'Multi-select'],
  ['total', 'Formula'],
);
