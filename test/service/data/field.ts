import { FIELD_TYPES, oneToOne, type FieldType, type FieldTypeName } from './fieldTypes';
import type { StoredRecord } from './table';

export interface Formula {
  /** As the app's builder would have typed it; shown in `equationLog`. */
  text: string;
  of(record: StoredRecord): number;
}

/** How sample data and tests describe a field; everything but name and type has a default. */
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
  slug: string;
  fieldId: string;
  name: string;
  type: FieldTypeName;
  /** How values of this type are sent, kept and compared. */
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

export function makeField(definition: FieldDefinition, fieldId: string): Field {
  const { name, type, many = true } = definition;
  return {
    slug: definition.slug ?? name.toLowerCase().replace(/[^a-z0-9]+/g, '_'),
    fieldId,
    name,
    type,
    format: type === 'Connection' && !many ? oneToOne : FIELD_TYPES[type],
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

/** The stored value of a field nobody filled. */
export function blankOf(field: Field, options: Parameters<FieldType['blank']>[0]): unknown {
  const { parts, blank } = field.format;
  if (!parts) return blank(options);
  return Object.fromEntries(Object.values(parts).map((part) => [part, blank(options)]));
}

export function isBlank(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (value !== null && typeof value === 'object') return Object.values(value).every(isBlank);
  return value === null || value === undefined || value === '';
}

/** Every record has it though no field list names it (spec: Record); it filters and sorts like any Date-Time. */
export const CREATED_AT: Field = makeField({ name: 'Created At', type: 'Date-Time' }, 'created_at');
