/** Connection and User, whose values are the IDs of records or of users. */
import { formatForError, InputError, parseList } from '../../service';
import type { Field } from './field';
import { isUnroundedNumber } from './inputValues';
import { type FieldKind, createInvalidValueError, defineKind } from './kind';
import {
  type Operator,
  anyOfOperator,
  blankOperators,
  createOperator,
  createInverseOperators,
  userOperators,
} from './operators';

/** Reads the ID from a text, a number, a record (`{id}`), or an entry of `<slug>_val` (`{id, val}`). */
function parseRecordId(value: unknown): string | undefined {
  if (typeof value === 'object' && value !== null && 'id' in value) return parseRecordId(value.id);
  if (isUnroundedNumber(value)) return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function parseRecordIds(value: unknown): string[] | undefined {
  const ids = parseList(value).map(parseRecordId);
  return ids.every((id) => id !== undefined) ? ids : undefined;
}

function requireSingleId(value: unknown, field: Field): string {
  const ids = parseRecordIds(value);
  if (ids && ids.length <= 1) return ids[0] ?? '';
  const reason = ids && 'It connects to one record only.';
  throw createInvalidValueError(field, value, ids ? '"recordId1"' : connectionKind.example, reason);
}

const containsId = (value: unknown, val: string) => Array.isArray(value) && value.includes(val);

/** Operators of connections (spec: Connection). `contains` compares IDs, because webhook deliveries have no texts. */
export const connectionOperators: Operator[] = [
  ...createInverseOperators('one', 'is', 'is not', containsId),
  createOperator('contains', 'one', containsId),
  ...blankOperators,
  createOperator('is connected with current record', 'none'),
  createOperator("is connected with current record's field", 'one'),
  anyOfOperator,
];

/** Connection, also called Join (evidence 8). Its value is the ID of one record, or a list of IDs. */
export const connectionKind: FieldKind = defineKind({
  types: /^(connection|join)/,
  hasDisplayValues: true,
  example: '["recordId1", "recordId2"], or "recordId1, recordId2"',
  operators: [...connectionOperators, ...userOperators],
  filterInput: 'connection',
  describeColumn: ({ connection }) => (connection?.many ? 'names or IDs' : 'name or ID'),
  encode: (value, field) => (field.connection?.many ? parseRecordIds(value) : requireSingleId(value, field)),
  normalize: parseRecordIds,
  encodeOperand: requireSingleId,
  encodeSearchText: requireSingleId,
});

/** The form of all IDs in evidence 7: ten of these letters and digits. */
const ID_PATTERN = /^[0-9ABDEGJ-RV-Zabdegj-rv-z]{10}$/;

/** Numbers and words such as "customer" or "Customer" are more likely names than IDs. */
const LIKELY_NAME_PATTERN = /^(\d+|[A-Za-z][a-z]+)$/;

/** Whether a text has the usual form of an ID. Other texts may be IDs too: the spec allows any form. */
export const looksLikeId = (id: string): boolean => ID_PATTERN.test(id) && !LIKELY_NAME_PATTERN.test(id);

/** @throws InputError for a text that is no ID: users cannot be found by name, and the service may drop the text */
function ensureUserIds(value: unknown, { name, slug }: Field): unknown {
  const texts = parseList(value).flatMap((entry) => (typeof entry === 'string' ? entry.trim() : []));
  const other = texts.find((text) => text !== '' && !looksLikeId(text));
  if (other === undefined) return value;
  throw new InputError(
    `"${name}" cannot take ${formatForError(other)}`,
    `It takes the ID of a user. Records that were read have it under "${slug}_id". If the text is an ID, give {"id": ${formatForError(other)}}. Nothing was sent.`,
  );
}

const requireUserId = (value: unknown, field: Field): string =>
  requireSingleId(ensureUserIds(value, field), field);

export const userKind: FieldKind = defineKind({
  ...connectionKind,
  types: /^user/,
  operators: [...userOperators, ...connectionOperators],
  filterInput: 'user',
  isMatchable: false,
  describeColumn: () => 'user ID',
  encode: (value, field, context) => connectionKind.encode?.(ensureUserIds(value, field), field, context),
  encodeOperand: requireUserId,
  encodeSearchText: requireUserId,
});
