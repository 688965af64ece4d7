import type { ServiceOptions } from '../options';
import { type FieldType, type FieldTypeName, getFieldType } from './fieldTypes';
import type { StoredRecord } from './table';

export interface Formula {
  /** Shown in `equationLog`. */
  text: string;
  evaluate(record: StoredRecord): unknown;
}

/** Definition of a field in sample data and tests. */
export interface FieldDefinition {
  name: string;
  type: FieldTypeName;
  slug?: string;
  description?: string;
  defaultValue?: string;
  unique?: boolean;
  required?: boolean;
  /** Choice fields: `value` or `value: label`. */
  options?: readonly string[];
  /** Connection and User fields: name of the other table. */
  to?: string;
  /** Connection fields: one-to-many (default) or one-to-one. */
  many?: boolean;
  formula?: Formula;
}

/** A field of a live table. */
export interface Field {
  /** Its key in stored records: the slug of its definition, also where the API names it otherwise. */
  key: string;
  slug: string;
  fieldId: string;
  name: string;
  type: FieldTypeName;
  /** How values of this type are read, stored and compared. */
  format: FieldType;
  description: string;
  defaultValue: string;
  unique: boolean;
  required: boolean;
  options: { label: string; value: string }[];
  to?: string;
  many: boolean;
  formula?: Formula;
}

/** @param nameField gives the slug and the ID of the field in the API */
export function createField(
  definition: FieldDefinition,
  nameField: (key: string) => Pick<Field, 'slug' | 'fieldId'>,
  { compositeValues }: Pick<ServiceOptions, 'compositeValues'> = { compositeValues: 'documented' },
): Field {
  const { name, type, many = true } = definition;
  const key = definition.slug ?? name.toLowerCase().replace(/[^a-z0-9]+/g, '_');
  return {
    key,
    ...nameField(key),
    name,
    type,
    format: getFieldType(type, many, compositeValues),
    description: definition.description ?? '',
    defaultValue: definition.defaultValue ?? '',
    unique: definition.unique ?? false,
    required: definition.required ?? false,
    options: (definition.options ?? []).map((option) => {
      const [value = option, label = value] = option.split(': ');
      return { label, value };
    }),
    to: definition.to ?? (type === 'User' ? 'Users' : undefined),
    many: type === 'Connection' && many,
    formula: definition.formula,
  };
}

/** The stored value of an omitted field. */
export function createBlankValue(field: Field, options: Parameters<FieldType['getBlank']>[0]): unknown {
  const { parts, getBlank: blank } = field.format;
  if (!parts) return blank(options);
  return Object.fromEntries(Object.values(parts).map((part) => [part, blank(options)]));
}

export function isBlank(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (value !== null && typeof value === 'object') return Object.values(value).every(isBlank);
  return value === null || value === undefined || value === '';
}

/** Every record has it, but no field list names it (spec: Record). It filters and sorts as a Date-Time. */
export const CREATED_AT: Field = createField({ name: 'Created At', type: 'Date-Time' }, (slug) => ({
  slug,
  fieldId: slug,
}));
