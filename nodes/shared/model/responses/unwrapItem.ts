import { isObject } from '../input/isObject';

/** Keys that describe the response. Any other key beside an object may belong to that object. */
const ENVELOPE_KEY = /^(type|status|msg|message|success|code|total\w*)$/;

/** Returns the object in a list with one entry. */
const findOnlyObject = (list: unknown): unknown =>
  Array.isArray(list) && list.length === 1 && isObject(list[0]) ? list[0] : undefined;

/**
 * Finds the object in a response: the one under `key`, or the only object in the response, or the only entry
 * of its `items` or of the response itself, or the response (the spec does not define every envelope).
 */
export function unwrapItem(body: unknown, key = 'item'): unknown {
  if (!isObject(body)) return findOnlyObject(body) ?? body;
  const keyed = body[key];
  if (isObject(keyed)) return keyed;
  // A response with an ID is the object itself.
  if ('id' in body) return body;
  const contents = Object.entries(body).filter(([name]) => !ENVELOPE_KEY.test(name));
  if (contents.length === 1 && isObject(contents[0]?.[1])) return contents[0]?.[1];
  return findOnlyObject(body.items) ?? body;
}
