import type { ServiceOptions } from '../options';
import type { ReadContext } from './readValue';
import * as readers from './readValue';

/** The kinds of fields by their operators (spec: Filters, "Operators by field kind"). */
export type OperatorKind =
  | 'text'
  | 'number'
  | 'date'
  | 'datetime'
  | 'time'
  | 'checkbox'
  | 'checkboxes'
  | 'user'
  | 'connection';

/** One row of the spec's field-type table: how a value is read, and its value when omitted. */
export interface FieldType {
  kind: OperatorKind;
  /** Converts a payload value to the stored value; for composite types, one part. */
  read(raw: unknown, reading: ReadContext): unknown;
  /** The value when a payload leaves the field out. For composite types, of one part. */
  getBlank(options: ServiceOptions): unknown;
  /** Composite types: parts by the suffix of the payload key. */
  parts?: Readonly<Record<string, string>>;
  /** Composite types: parts by the suffix in filters. */
  subFields?: Readonly<Record<string, string>>;
  /** Whether form-data may repeat `<slug>[]`. */
  repeats?: boolean;
  /** Calculated by the service; no payload key writes it. */
  computed?: boolean;
}

const getEmptyText = () => '';
const getNull = () => null;
const getEmptyList = () => [];

const plainText: FieldType = { kind: 'text', read: readers.readText, getBlank: getEmptyText };
const singleChoice: FieldType = { kind: 'text', read: readers.readChoice, getBlank: getEmptyText };
const multipleChoice: FieldType = {
  kind: 'text',
  read: readers.readChoices,
  getBlank: getEmptyList,
  repeats: true,
};
const numeric: FieldType = {
  kind: 'number',
  read: readers.readNumber,
  getBlank: (options) => options.omittedNumber,
};
const readDate = readers.createDateTimeReader(/^\d{4}-\d{2}-\d{2}$/, '', 'T00:00:00', 'Invalid date format');

const NAME = ['title', 'first_name', 'middle_name', 'last_name'];
const ADDRESS = ['address', 'address2', 'city', 'state', 'zip', 'country'];
const toBracketKeys = (parts: string[]) => Object.fromEntries(parts.map((part) => [`[${part}]`, part]));

export const FIELD_TYPES = {
  Text: plainText,
  'Long Text': plainText,
  'Rich Text': plainText,
  Phone: { ...plainText, read: readers.createPatternReader(/^\+?[\d\s().\-/x]{3,}$/, 'Phone must be valid') },
  Email: {
    ...plainText,
    read: readers.createPatternReader(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'Email must be valid'),
  },
  Number: numeric,
  Currency: numeric,
  /** Not in the field-type table: stands for the types that a client does not know. */
  Rating: numeric,
  'Decision Box': { kind: 'checkbox', read: readers.readBit, getBlank: () => 0 },
  Date: { kind: 'date', read: readDate, getBlank: getNull },
  Time: {
    kind: 'time',
    read: readers.createDateTimeReader(/^\d{2}:\d{2}:\d{2}$/, '1970-01-01T', '', 'Invalid time format'),
    getBlank: getNull,
  },
  'Date-Time': {
    kind: 'datetime',
    read: readers.createDateTimeReader(
      /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/,
      '',
      '',
      'Invalid date format',
    ),
    getBlank: getNull,
  },
  Calendar: { kind: 'date', read: readDate, getBlank: getNull, parts: { __start: 'start', __end: 'end' } },
  Name: {
    ...plainText,
    parts: toBracketKeys(NAME),
    subFields: { '-title': 'title', '-first': 'first_name', '-middle': 'middle_name', '-last': 'last_name' },
  },
  Address: {
    ...plainText,
    parts: toBracketKeys(ADDRESS),
    subFields: Object.fromEntries(ADDRESS.map((part) => [`-${part}`, part])),
  },
  Select: singleChoice,
  Radio: singleChoice,
  Dropdown: singleChoice,
  'Multi-select': multipleChoice,
  Checkbox: { ...multipleChoice, kind: 'checkboxes' },
  /** One-to-many; see `oneToOne` for the other join type. */
  Connection: { kind: 'connection', read: readers.readRecordIds, getBlank: getEmptyList, repeats: true },
  File: { ...plainText, read: readers.readFiles },
  /** Not in the field-type table, but its operators are in the spec: a connection to `Users`. */
  User: { kind: 'user', read: readers.readRecordId, getBlank: getEmptyList },
  /** A calculated number, as `result` in `equationLog`. */
  Formula: { kind: 'number', read: readers.readNumber, getBlank: getNull, computed: true },
} satisfies Record<string, FieldType>;

export type FieldTypeName = keyof typeof FIELD_TYPES;

export const oneToOne: FieldType = { kind: 'connection', read: readers.readRecordId, getBlank: getEmptyList };
