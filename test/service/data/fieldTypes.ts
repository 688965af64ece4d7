import type { ServiceOptions } from '../options';
import * as read from './reading';
import type { Reading } from './reading';

/** Which operators a field answers to (spec: Filters, "Operators by field kind"). */
export type Kind = 'text' | 'number' | 'date' | 'datetime' | 'time' | 'checkbox' | 'user' | 'connection';

/** One row of the spec's field-type table: how a value is sent, stored and left out. */
export interface FieldType {
  kind: Kind;
  /** Payload value to stored value; for composite types this reads one part. */
  read(raw: unknown, reading: Reading): unknown;
  /** The value when a payload leaves the field out. For composite types, of one part. */
  blank(options: ServiceOptions): unknown;
  /** Composite types: payload key suffix → part. */
  parts?: Readonly<Record<string, string>>;
  /** Composite types: filter suffix → part. */
  subFields?: Readonly<Record<string, string>>;
  /** Payload keys of form-data may repeat `<slug>[]`. */
  repeats?: boolean;
  /** Computed by the service; no payload key exists. */
  computed?: boolean;
}

const empty = () => '';
const nothing = () => null;
const none = () => [];

const plain: FieldType = { kind: 'text', read: read.text, blank: empty };
const single: FieldType = { kind: 'text', read: read.choice, blank: empty };
const multiple: FieldType = { kind: 'text', read: read.choices, blank: none, repeats: true };
const numeric: FieldType = { kind: 'number', read: read.number, blank: (options) => options.omittedNumber };
const day = read.moment(/^\d{4}-\d{2}-\d{2}$/, '', 'T00:00:00', 'Invalid date format');

const NAME = ['title', 'first_name', 'middle_name', 'last_name'];
const ADDRESS = ['address', 'address2', 'city', 'state', 'zip', 'country'];
const bracketed = (parts: string[]) => Object.fromEntries(parts.map((part) => [`[${part}]`, part]));

export const FIELD_TYPES = {
  Text: plain,
  'Long Text': plain,
  'Rich Text': plain,
  Phone: { ...plain, read: read.patterned(/^\+?[\d\s().\-/x]{3,}$/, 'Phone must be valid') },
  Email: { ...plain, read: read.patterned(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'Email must be valid') },
  Number: numeric,
  Currency: numeric,
  'Decision Box': { kind: 'checkbox', read: read.bit, blank: () => 0 },
  Date: { kind: 'date', read: day, blank: nothing },
  Time: {
    kind: 'time',
    read: read.moment(/^\d{2}:\d{2}:\d{2}$/, '1970-01-01T', '', 'Invalid time format'),
    blank: nothing,
  },
  'Date-Time': {
    kind: 'datetime',
    read: read.moment(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/, '', '', 'Invalid date format'),
    blank: nothing,
  },
  Calendar: { kind: 'date', read: day, blank: nothing, parts: { __start: 'start', __end: 'end' } },
  Name: {
    ...plain,
    parts: bracketed(NAME),
    subFields: { '-title': 'title', '-first': 'first_name', '-middle': 'middle_name', '-last': 'last_name' },
  },
  Address: {
    ...plain,
    parts: bracketed(ADDRESS),
    subFields: Object.fromEntries(ADDRESS.map((part) => [`-${part}`, part])),
  },
  Select: single,
  Radio: single,
  Dropdown: single,
  'Multi-select': multiple,
  Checkbox: multiple,
  /** One-to-many; `oneToOne` below when the field's join says so. */
  Connection: { kind: 'connection', read: read.manyRecords, blank: none, repeats: true },
  File: { ...plain, read: read.file },
  /** Not in the field-type table, but its operators are: a connection to the app's users. */
  User: { kind: 'user', read: read.oneRecord, blank: none },
  /** The result of a formula field: a number, as in `equationLog`. */
  Formula: { kind: 'number', read: read.number, blank: nothing, computed: true },
} satisfies Record<string, FieldType>;

export type FieldTypeName = keyof typeof FIELD_TYPES;

export const oneToOne: FieldType = { kind: 'connection', read: read.oneRecord, blank: none };
