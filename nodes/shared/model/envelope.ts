/** What an envelope says of the answer itself; anything else beside an object may belong to it. */
const OF_ENVELOPE = /^(type|status|msg|message|success|code|total\w*)$/;

/**
 * The one thing inside an answer: the object under `key`, else the only object that it holds or the only one
 * of its `items` (envelopes that the spec does not show), else the answer as it is.
 */
export function itemIn(body: unknown, key = 'item'): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  const named: unknown = (body as Record<string, unknown>)[key];
  if (isObject(named)) return named;
  // An answer with an id of its own is the thing itself.
  if ('id' in body) return body;
  const own = Object.entries(body).filter(([name]) => !OF_ENVELOPE.test(name));
  if (own.length === 1 && isObject(own[0]?.[1])) return own[0]?.[1];
  const { items } = body as { items?: unknown };
  return Array.isArray(items) && items.length === 1 && isObject(items[0]) ? (items[0] as unknown) : body;
}
