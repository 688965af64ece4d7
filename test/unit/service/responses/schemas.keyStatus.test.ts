import { apiKeyStatusSchema } from '../../../../nodes/service/responses/schemas';

test.each([
  { current_code: 200, api_key: { id: 'k1', status: 'Active' }, permissions: {} },
  { permissions: { read: true } },
  { per_minute_limit: { allowed: 60 } },
])('%j is a status', (status) => {
  expect(apiKeyStatusSchema.parse(status)).toEqual(status);
});

test.each([{}, { api_key: null }, { api_key: 'k1' }, { api_key: [] }, { type: 'success' }, []])(
  '%j is not a status',
  (body) => {
    expect(apiKeyStatusSchema.safeParse(body).success).toBe(false);
  },
);
