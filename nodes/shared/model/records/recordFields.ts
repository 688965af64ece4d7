import { type Field, getKind, listPartKeys } from '../fields';
import type { RecordValues } from './recordValues';

const isExtraKey = (field: Field, key: string): boolean =>
  key === `${field.slug}_val` ||
  (getKind(field).parts ?? []).some((part) => listPartKeys(part, field.slug).includes(key));

/** Finds the field of a record's key: its slug, `slug_val` of a connection, or `slug[part]` or `slug__part`. */
export const findFieldByKey = (fields: Field[], key: string): Field | undefined =>
  fields.find(({ slug }) => slug === key) ?? fields.find((field) => isExtraKey(field, key));

/** Removes all fields except the named ones and the ID. */
export const keepColumns = (record: RecordValues, columns: string[], fields: Field[]): RecordValues =>
  Object.fromEntries(
    Object.entries(record).filter(
      ([key]) => key === 'id' || columns.includes(findFieldByKey(fields, key)?.slug ?? key),
    ),
  );
