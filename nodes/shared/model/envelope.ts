/**
 * The one thing inside an answer: the object under `key`, else the only object that it holds (envelopes
 * that the spec does not show), else the answer as it is.
 */
export function itemIn(body: unknown, key = 'item'): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  const named: unknown = (body as Record<string, unknown>)[key];
  if (isObject(named)) return named;
  // An answer with an id of its own is the thing itself.
  if ('id' in body) return body;
  const inner = Object.values(body).filter(isObject);
  return inner.length === 1 ? inner[0] : body;
}
