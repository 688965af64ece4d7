/** Fields and the values that are sent. `toField` of `kinds.ts` creates a `Field`. */
import type { FilePart, InputError } from '../../service';

/** A field of a table (spec: Field, full). */
export interface Field {
  slug: string;
  fieldId: string;
  name: string;
  /** Name of the type in the service: `Date-Time`, `Decision Box`. */
  type: string;
  kind: KindName;
  description: string;
  /** The default of the field in the service, which does not apply it when a record is created (spec: Record). */
  defaultValue: string;
  unique: boolean;
  /** Whether the field cannot be written: the service sets its value, or the field is an Image. */
  isReadOnly: boolean;
  /** Choices of a Select, Radio, Dropdown, Multi-select or Checkbox field. Empty for other fields. */
  options: Array<{ label: string; value: string }>;
  /** `many`: whether it takes several IDs. `nameField`: slug and ID of the field with names of connected records. */
  connection?: { many: boolean; tableId?: string; nameField?: string[] };
}

export type KindName =
  | 'text'
  | 'email'
  | 'link'
  | 'password'
  | 'number'
  | 'checkbox'
  | 'date'
  | 'time'
  | 'dateTime'
  | 'calendar'
  | 'dateRange'
  | 'rangeEnd'
  | 'allDay'
  | 'name'
  | 'address'
  | 'choice'
  | 'choices'
  | 'checkboxes'
  | 'connection'
  | 'user'
  | 'file'
  | 'files'
  | 'image'
  | 'unnamed';

/** A value that its field refuses, such as a removed choice. An update omits the value if the record already has it. */
export class RefusedValue {
  constructor(
    readonly given: unknown,
    readonly error: InputError,
  ) {}
}

/** Value of one payload key (spec: "Field-type value formats"). */
export type PayloadValue = string | number | null | string[] | FilePart[] | RefusedValue;

/** `given` is the user's value, if it differs from `value`. A composite field has one entry for each part. */
export type PayloadEntries = Array<[key: string, value: PayloadValue, given?: unknown]>;

export interface EncodeContext {
  /** IANA name of the workflow's time zone, which applies to dates without an offset. */
  timeZone: string;
}
