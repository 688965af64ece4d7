import type { ServiceOptions } from '../options';
import type { FilePart, ReadContext } from './readValue';
import * as readers from './readValue';
import * as shown from './showValue';
import type { StoredRecord } from './table';

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

/** What the reading of a stored value depends on. */
export interface ShowContext {
  options: ServiceOptions;
  files: { baseUrl: string; find(path: string): FilePart | undefined };
}

/** One row of the spec's field-type table: how a value is read, and its value when omitted. */
export interface FieldType {
  kind: OperatorKind;
  /** Converts a payload value to the stored value; for composite types, one part. */
  read(raw: unknown, reading: ReadContext, part?: string): unknown;
  /** The value when a payload leaves the field out. For composite types, of one part. */
  getBlank(options: ServiceOptions): unknown;
  /** What an answer has for a stored value, if it is not that value. */
  show?(stored: unknown, context: ShowContext): unknown;
  /** Composite types: parts by the suffix of the payload key. */
  parts?: Readonly<Record<string, string>>;
  /** The part that a plain text writes. */
  plainPart?: string;
  /** Composite types: parts by the suffix in filters. */
  subFields?: Readonly<Record<string, string>>;
  /** Whether form-data may repeat `<slug>[]`. */
  repeats?: boolean;
  /** Whether the value is a list of choices. */
  listsChoices?: boolean;
  /** Set by the service; no payload key writes it. */
  computed?: boolean;
  /** A value that follows from the record alone. */
  derive?(record: StoredRecord, rowNumber: number): unknown;
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
  show: shown.showChoices,
  repeats: true,
  listsChoices: true,
};
const numeric: FieldType = {
  kind: 'number',
  read: readers.readNumber,
  getBlank: (options) => options.omittedNumber,
  show: shown.showNumber,
};
const formula: FieldType = { ...numeric, getBlank: getNull, computed: true };
const readDate = readers.createDateTimeReader(/^\d{4}-\d{2}-\d{2}$/, '', 'T00:00:00', 'Invalid date format');
const readDateTime = readers.createDateTimeReader(
  /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/,
  '',
  '',
  'Invalid date format',
);

const NAME = ['title', 'first_name', 'middle_name', 'last_name'];
const ADDRESS = ['address', 'address2', 'city', 'state', 'zip', 'country'];
const toBracketKeys = (parts: string[]) => Object.fromEntries(parts.map((part) => [`[${part}]`, part]));

const DOCUMENTED_ENDS = { __start: 'start', __end: 'end' };
const ENDS = { '-start': 'start', '-end': 'end' };

const address: FieldType = {
  ...plainText,
  parts: toBracketKeys(ADDRESS),
  subFields: Object.fromEntries(ADDRESS.map((part) => [`-${part}`, part])),
};

/** A range with times. A day without a time begins at midnight. */
const dateRange: FieldType = {
  kind: 'datetime',
  read: (raw, reading, part) => {
    if (part === 'all_day') return readers.readYesOrNo(raw, reading);
    return typeof raw === 'string' && raw.length === 10 ? readDate(raw, reading) : readDateTime(raw, reading);
  },
  getBlank: getNull,
  show: shown.showRange,
  parts: { ...DOCUMENTED_ENDS, ...toBracketKeys(['start', 'end', 'all_day']) },
  subFields: ENDS,
};

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
  'Decision Box': { kind: 'checkbox', read: readers.readBit, getBlank: () => 0 },
  Date: { kind: 'date', read: readDate, getBlank: getNull },
  Time: {
    kind: 'time',
    read: readers.createDateTimeReader(/^\d{2}:\d{2}:\d{2}$/, '1970-01-01T', '', 'Invalid time format'),
    getBlank: getNull,
  },
  'Date-Time': { kind: 'datetime', read: readDateTime, getBlank: getNull },
  Calendar: { kind: 'date', read: readDate, getBlank: getNull, parts: DOCUMENTED_ENDS, subFields: ENDS },
  Name: {
    ...plainText,
    parts: toBracketKeys(NAME),
    subFields: { '-title': 'title', '-first': 'first_name', '-middle': 'middle_name', '-last': 'last_name' },
  },
  Address: address,
  Select: singleChoice,
  Radio: singleChoice,
  Dropdown: singleChoice,
  'Multi-select': multipleChoice,
  Checkbox: { ...multipleChoice, kind: 'checkboxes' },
  /** One-to-many; see `oneToOne` for the other join type. */
  Connection: { kind: 'connection', read: readers.readRecordIds, getBlank: getEmptyList, repeats: true },
  File: { ...plainText, read: readers.readFiles, show: shown.showFile },
  /** Not in the field-type table, but its operators are in the spec: a connection to `Users`. */
  User: { kind: 'user', read: readers.readRecordId, getBlank: getEmptyList },
  /** A calculated number, as `result` in `equationLog`. */
  Formula: formula,

  // Types that clients met and that the spec does not name.
  Rating: numeric,
  Slider: numeric,
  'Date Range': dateRange,
  Link: { ...plainText, parts: toBracketKeys(['link']), plainPart: 'link', show: shown.showLink },
  'Select with score': singleChoice,
  Files: {
    ...plainText,
    read: readers.readFileList,
    getBlank: getEmptyList,
    show: shown.showFiles,
    repeats: true,
  },
  Image: { ...plainText, computed: true },
  Password: { ...plainText, show: shown.showPassword },
  Id: { ...plainText, computed: true, derive: ({ id }) => id },
  'Auto Increment': { ...formula, derive: (_record, rowNumber) => rowNumber },
  'Complex Formula': formula,
  'Text Formula': { ...plainText, computed: true },
  'Date Formula': { kind: 'date', read: readDate, getBlank: getNull, computed: true },
  Equation: formula,
  Count: formula,
  Sum: formula,
} satisfies Record<string, FieldType>;

export type FieldTypeName = keyof typeof FIELD_TYPES;

const oneToOne: FieldType = { kind: 'connection', read: readers.readRecordId, getBlank: getEmptyList };

/** Types whose values have more parts (`ServiceOptions.compositeValues`). */
const MET_TYPES: Partial<Record<FieldTypeName, FieldType>> = {
  Address: { ...address, parts: toBracketKeys([...ADDRESS, 'lng', 'lat']), show: shown.showAddress },
  Calendar: dateRange,
};

/** @param many whether a connection holds several records */
export function getFieldType(
  type: FieldTypeName,
  many: boolean,
  compositeValues: ServiceOptions['compositeValues'],
): FieldType {
  if (type === 'Connection' && !many) return oneToOne;
  return (compositeValues === 'met' && MET_TYPES[type]) || FIELD_TYPES[type];
}

/** Names of the spec's types in `/fields` (`ServiceOptions.types`); the other names are equal. */
export const MET_TYPE_NAMES: Partial<Record<FieldTypeName, string>> = {
  'Date-Time': 'Date/Time',
  'Multi-select': 'Multi Select',
  Dropdown: 'Select',
  Formula: 'Basic Formula',
};
