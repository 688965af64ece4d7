import { loginSchema, sessionStatusSchema } from '../../../../nodes/service/responses/schemas';

/** Spec: User authentication. Only what the nodes read is required; the rest passes through. */
test.each([
  [{ type: 'success', token: 't', user_id: 'u1', expires_at: '2025-01-31 10:00:00' }, loginSchema],
  [{ token: 'a longer token' }, loginSchema],
  [{ type: 'success', valid: true, time_remaining: '3 days 2 hours' }, sessionStatusSchema],
  // A session that has ended is an answer, not an error.
  [{ valid: false }, sessionStatusSchema],
  [{ valid: 0 }, sessionStatusSchema],
  [{ valid: '' }, sessionStatusSchema],
])('accepts the answer %j', (body, schema) => {
  expect(schema.parse(body)).toEqual(body);
});

test('the answers that clients met have `status` in place of `type`, and no `valid`', () => {
  const expires_at = '2031-03-02 18:05:44';
  expect(loginSchema.parse({ status: 'success', token: 't', expires_at })).toEqual({
    token: 't',
    expires_at,
  });
  expect(sessionStatusSchema.parse({ status: 'success', msg: 'ok', expires_at })).toEqual({
    msg: 'ok',
    expires_at,
    valid: true,
  });
});

test.each([
  ['token', { type: 'success' }, loginSchema],
  ['token', { token: '' }, loginSchema],
  ['token', { token: null }, loginSchema],
  ['token', { token: 5 }, loginSchema],
])('misses the %s in %j', (key, body, schema) => {
  const { error } = schema.safeParse(body);
  expect(error?.issues.map(({ path }) => path)).toEqual([[key]]);
});

test.each([{ type: 'success' }, { valid: null }, { valid: undefined }, {}, [], null])(
  'misses the state of the session in %j',
  (body) => {
    expect(sessionStatusSchema.safeParse(body).success).toBe(false);
  },
);
