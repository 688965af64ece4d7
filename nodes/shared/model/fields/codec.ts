import { InputError, shown } from '../inputError';
import type { Field } from './field';

/** A file on its way to the service as one multipart part. */
export interface FilePart {
  fileName: string;
  mimeType: string;
  data: Uint8Array;
}

/** What a payload can hold under one key (spec: "Field-type value formats"). */
export type WireValue = string | number | null | string[] | FilePart[];

/** Payload keys and values that one field value becomes: one for most kinds, several for composites. */
export type Entries = Array<[key: string, value: WireValue]>;

/** What encoding needs to know besides the value: the workflow's time zone, for dates. */
export interface EncodeContext {
  timeZone: string;
}

/** How a column of the mapper looks; the kit turns it into n8n's own shape. */
export interface Column {
  /** `slug`, or `slug[part]` for a part of a composite field. */
  key: string;
  label: string;
  type: 'string' | 'number' | 'boolean' | 'dateTime' | 'time' | 'options';
  options?: Array<{ name: string; value: string }>;
}

/** Both ways of one kind of field. */
export interface Codec {
  /** A value that fits, for error messages. */
  example: string;
  columns(field: Field): Column[];
  /** @throws InputError when the value does not fit. `null` and `''` clear the cell. */
  encode(value: unknown, field: Field, context: EncodeContext): Entries;
}

/** The error of every codec: names field, type and value, and shows a value that would do. */
export function misfit(field: Field, value: unknown, example: string, reason?: string): InputError {
  return new InputError(
    `"${field.name}" cannot take ${shown(value)}`,
    `${field.name} (${field.slug}) is of the type ${field.type}. ${reason ? `${reason} ` : ''}A value that fits: ${example}.`,
  );
}

/** Null, undefined and the empty string all mean: clear the cell. */
export const isBlank = (value: unknown): value is null | undefined | '' =>
  value === null || value === undefined || value === '';

export const oneColumn = (field: Field, type: Column['type']): Column[] => [
  { key: field.slug, label: field.name, type },
];
