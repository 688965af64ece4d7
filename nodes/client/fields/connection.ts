import { isBlank, isObject, parseList } from '../input/values';
import type { Field, FilePart } from './field';
import { createHintedColumn, createInvalidValueError, defineKind } from './kind';
import {
  type Operator,
  anyOfOperator,
  blankOperators,
  createOperator,
  createPair,
  stateOperator,
  userOperators,
} from './operators';
import { textKind } from './plainKinds';

/** Parses an ID, a record (`{id}`), or an entry of `<slug>_val` (`{id, val}`). */
function parseRecordId(value: unknown): string | undefined {
  if (typeof value === 'object' && value !== null && 'id' in value) return parseRecordId(value.id);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** Parses a list of IDs. Undefined if an entry is not an ID. */
function parseRecordIds(value: unknown): string[] | undefined {
  const ids = parseList(value).map(parseRecordId);
  return ids.every((id) => id !== undefined) ? ids : undefined;
}

function requireRecordIds(value: unknown, field: Field): string[] {
  const ids = parseRecordIds(value);
  if (ids) return ids;
  throw createInvalidValueError(field, value, connectionKind.example);
}

function requireSingleId(value: unknown, field: Field): string {
  const ids = requireRecordIds(value, field);
  if (ids.length <= 1) return ids[0] ?? '';
  throw createInvalidValueError(field, value, '"recordId1"', 'It connects to one record only.');
}

const matchId = (value: unknown, val: string) => Array.isArray(value) && value.includes(val);

/**
 * Spec: Connection. When a delivery is evaluated, `contains` compares IDs, because deliveries have no display
 * values.
 */
export const connectionOperators: Operator[] = [
  ...createPair('one', ['is', matchId], 'is not'),
  createOperator('contains', 'one', matchId),
  ...blankOperators,
  createOperator('is connected with current record', 'none'),
  createOperator("is connected with current record's field", 'one'),
  anyOfOperator,
];

/** Connection: one record ID for a one-to-one connection, an array of IDs for one-to-many. */
export const connectionKind = defineKind({
  types: /^connection/,
  hasDisplayValues: true,
  example: '["recordId1", "recordId2"], or "recordId1, recordId2"',
  operators: [...connectionOperators, ...userOperators],
  createColumns: (field) => createHintedColumn(field, field.connection?.many ? 'names or IDs' : 'name or ID'),
  encode: (value, field) =>
    field.connection?.many
      ? [[field.slug, requireRecordIds(value, field)]]
      : [[field.slug, requireSingleId(value, field)]],
  read: parseRecordIds,
  encodeOperand: requireSingleId,
  encodeSearchText: requireSingleId,
});

/** User: the ID of a user of the application. */
export const userKind = defineKind({
  ...connectionKind,
  types: /^user/,
  operators: [...userOperators, ...connectionOperators],
  isMatchable: false,
  createColumns: (field) => createHintedColumn(field, 'user ID'),
  createMatch: connectionKind.createMatch,
});

const isFilePart = (value: unknown): value is FilePart =>
  typeof value === 'object' && value !== null && 'data' in value && value.data instanceof Uint8Array;

/** Whether a value is what the service returns for a File column: addresses, objects of files (evidence 10: `{url, key, …}`), or nothing. */
const isFileOfService = (value: unknown): boolean =>
  [value]
    .flat()
    .every(
      (file) =>
        (isObject(file) && !isFilePart(file)) ||
        file === '' ||
        file === null ||
        /^(https?:|\/)/.test(String(file)),
    );

/**
 * File: one multipart part for each file, named by the slug. The kit reads the bytes from the item's binary
 * fields or fetches them; a mapper column holds the name of such a field, or an address. `read` gives the addresses of the files, which
 * cannot be written back.
 */
/** The spec has no operator that compares a file, only whether there is one. */
const FILE_STATES = new Map([
  ['filled', 'is not blank'],
  ['blank', 'is blank'],
]);

export const fileKind = defineKind({
  types: /^(file|image|attachment|upload)/,
  example: '"data" (the name of the input\'s binary field), or "https://example.com/contract.pdf"',
  operators: [stateOperator, ...blankOperators],
  findState: (value) => FILE_STATES.get(String(value).trim().toLowerCase()),
  isMatchable: false,
  holdsFiles: true,
  createColumns: (field) => createHintedColumn(field, 'input binary field or URL'),
  encode(value, field) {
    const parts = [value].flat().filter((part) => !isBlank(part));
    if (!parts.every(isFilePart)) throw createInvalidValueError(field, value, fileKind.example);
    return [[field.slug, parts]];
  },
  isWritable: (value) => !isFileOfService(value),
  // The symbolic filter form can compare any field with text.
  encodeOperand: textKind.encodeOperand,
  read: (value) => parseList(value).filter((address) => !isBlank(address)),
});
