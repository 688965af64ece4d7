import {
  loginSchema,
  magicLinkSchema,
  sessionStatusSchema,
} from '../../../../nodes/client/responses/schemas';

/** Spec: User authentication. Only what the nodes read is required; the rest passes through. */
test.each([
  [{ type: 'success', token: 't', user_id: 'u1', expires_at: '2025-01-31 10:00:00' }, loginSchema],
  [{ token: 'a longer token' }, loginSchema],
  [{ type: 'success', token: 't', magicLinkUrl: 'https://app.example.com/m/1' }, magicLinkSchema],
  [{ type: 'success', valid: true, time_remaining: '3 days 2 hours' }, sessionStatusSchema],
  // A session that has ended is an answer, not an error.
  [{ valid: false }, sessionStatusSchema],
  [{ valid: 0 }, sessionStatusSchema],
  [{ valid: '' }, sessionStatusSchema],
])('accepts the answer %j', (body, schema) => {
  expect(schema.parse(body)).toEqual(body);
});

test.each([
  ['token', { type: 'success' }, loginSchema],
  ['token', { token: '' }, loginSchema],
  ['token', { token: null }, loginSchema],
  ['token', { token: 5 }, loginSchema],
  ['magicLinkUrl', { type: 'success', token: 't' }, magicLinkSchema],
  ['magicLinkUrl', { magicLinkUrl: '' }, magicLinkSchema],
  ['valid', { type: 'success' }, sessionStatusSchema],
  ['valid', { valid: null }, sessionStatusSchema],
  ['valid', { valid: undefined }, sessionStatusSchema],
])('misses the %s in %j', (key, body, schema) => {
  const { error } = schema.safeParse(body);
  expect(error?.issues.map(({ path }) => path)).toEqual([[key]]);
});
