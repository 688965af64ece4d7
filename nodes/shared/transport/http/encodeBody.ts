import { isObject } from '../../model/input/isObject';

/** Keys that n8n's HTTP client leaves out of an object without an error. */
const DROPPED_KEYS = ['__proto__', 'constructor', 'prototype'];

function hasDroppedKey(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasDroppedKey);
  if (!isObject(value)) return false;
  return DROPPED_KEYS.some((key) => Object.hasOwn(value, key)) || Object.values(value).some(hasDroppedKey);
}

interface EncodedBody {
  body?: object | string;
  headers?: Record<string, string>;
}

/** Converts an object with such a key to JSON text, which is sent as it is. A slug may be `constructor`. */
export const encodeBody = (body: object | undefined): EncodedBody =>
  hasDroppedKey(body)
    ? { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }
    : { body };
