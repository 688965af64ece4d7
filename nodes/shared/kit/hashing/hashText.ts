import { createHash } from 'node:crypto';
import { isObject } from '../../model/input/isObject';

const sortKeys = (_key: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

/** JSON with sorted keys and without white space, so that equal values have equal text. */
export const toCanonicalJson = (value: unknown): string => JSON.stringify(value, sortKeys) ?? '';

/** SHA-256 as base64url, cut to `length` characters of 6 bits each. */
export const hashText = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, length);
