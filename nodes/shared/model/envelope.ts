/** What an envelope says of the answer itself; anything else beside an object may belong to it. */
const OF_ENVELOPE = /^(type|status|msg|message|success|code|total\w*)$/;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object that is all there is in a list. */
const onlyOf = (list: unknown): unknown =>
  Array.isArray(list) && list.length === 1 && isObject(list[0]) ? list[0] : undefined;

/**
 * The one thing inside an answer: the object under `key`, else the only object that it holds or the only one
 * of its `items` or of the bare list that it is (envelopes that the spec does not show), else the answer as it is.
 */
export function itemIn(body: unknown, key = 'item'): unknown {
  if (!isObject(body)) return onlyOf(body) ?? body;
  const named = body[key];
  if (isObject(named)) return named;
  // An answer with an id of its own is the thing itself.
  if ('id' in body) return body;
  const own = Object.entries(body).filter(([name]) => !OF_ENVELOPE.test(name));
  if (own.length === 1 && isObject(own[0]?.[1])) return own[0]?.[1];
  return onlyOf(body.items) ?? body;
}
