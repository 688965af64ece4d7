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
  /** Configured default. The service does not apply it when a record is created (spec: Record). */
  defaultValue: string;
  unique: boolean;
  /** Whether the service sets the value, or the field is an Image. Such a field can be read and filtered by. */
  isReadOnly: boolean;
  /** Choices of a Select, Radio, Dropdown, Multi-select or Checkbox field. Empty for other fields. */
  options: Array<{ label: string; value: string }>;
  /** `many`: takes several IDs. `nameField`: slug and ID of the field with the names of the connected records. */
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

/** A value that its field does not accept, such as a removed choice. If the record holds it, an update omits it. */
export class RefusedValue {
  constructor(
    readonly given: unknown,
    readonly error: InputError,
  ) {}
}

/** Value of one payload key (spec: "Field-type value formats"). */
export type PayloadValue = string | number | null | string[] | FilePart[] | RefusedValue;

/** What is sent, and the values as the user gave them. A composite field has one entry for each part. */
export type PayloadEntries = Array<[key: string, value: PayloadValue, given?: unknown]>;

export interface EncodeContext {
  /** IANA name of the workflow's time zone, which applies to dates without an offset. */
  timeZone: string;
}
