import { parsePermissionFlags, apiKeyStatusSchema } from '../../../../nodes/service/responses/schemas';

test.each([
  [false, false],
  ['false', false],
  ['FALSE', false],
  [0, false],
  ['0', false],
  ['No', false],
  [' no ', false],
  ['Off', false],
  [true, true],
  ['true', true],
  [1, true],
  ['Yes', true],
  ['on', true],
  // Unclear ones: no permission is reported as missing by mistake.
  ['', true],
  [null, true],
  ['none', true],
  [{}, true],
])('a permission that the status shows as %j is granted: %s', (flag, isGranted) => {
  expect(parsePermissionFlags({ permissions: { read: flag, pages: true } })).toEqual({
    read: isGranted,
    pages: true,
  });
});

test.each([{}, { permissions: null }, { permissions: 'all' }, { permissions: ['read'] }])(
  'a status without permissions shows none: %j',
  (status) => expect(parsePermissionFlags(status)).toBeUndefined(),
);

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
