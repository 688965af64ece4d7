import { getEffectiveStatus, isServiceError } from '../../../../nodes/service/errors/serviceErrors';

/** Spec: Key facts 4 and 5; Errors. */
test.each<[number, unknown, number]>([
  [200, { type: 'success', status: 500 }, 200],
  [200, { type: 'error', status: 404 }, 404],
  [200, { type: 'error', status: '429' }, 429],
  [200, { type: 'error', status: 400 }, 400],
  [200, { type: 'error', status: 399 }, 422],
  [200, { type: 'error', status: 200 }, 422],
  [200, { type: 'error', status: 'failed' }, 422],
  [200, { type: 'error' }, 422],
  [200, { type: 'error', msg: 'Record Not Found' }, 404],
  [200, { type: 'error', msg: 'API Disabled' }, 401],
  [200, { type: 'error', msg: 'Validation failed' }, 422],
  // A message about a value is not about the request limit of the day, which would stop all calls of the key.
  [200, { type: 'error', msg: 'The birthday must be unique' }, 422],
  [200, { type: 'error', msg: 'Too Many Attempts In Day', status: 429 }, 429],
  [200, { type: 'error', msg: 'Record Not Found', status: 410 }, 410],
  // Answers about sessions and PDF templates say in `status` whether they succeeded (evidence 5 and 22).
  [200, { status: 'error', msg: 'The token is not valid' }, 422],
  [200, { status: 'error', msg: 'Record Not Found' }, 404],
  [200, { type: 'success', status: 'error' }, 200],
  // The entry of a run that failed.
  [200, { id: 'q1', status: 'error' }, 200],
  [299, { type: 'error' }, 422],
  [300, { type: 'error', status: 404 }, 300],
  [302, { type: 'error', status: 404 }, 302],
  [199, { type: 'error', status: 404 }, 199],
  [404, { type: 'error', status: 500 }, 404],
  [500, { type: 'success' }, 500],
  [200, { status: 404 }, 200],
  [200, [{ type: 'error' }], 200],
  [200, 'error', 200],
  [204, undefined, 204],
  [200, null, 200],
])('HTTP status %i with the body %j counts as %i', (status, body, effective) => {
  expect(getEffectiveStatus(status, body)).toBe(effective);
});

test.each<[number, unknown, boolean]>([
  [500, { type: 'error' }, true],
  [404, { msg: 'Record Not Found' }, true],
  [404, { msg: '' }, true],
  // The reason for a refused login, as common frameworks send it. A proxy may send the same with another status.
  [401, { message: 'Unauthenticated.' }, true],
  [403, { message: 'Forbidden' }, false],
  [401, { message: 5 }, false],
  [401, {}, false],
  [401, '<html>', false],
  [500, { type: 'about:blank', title: 'Bad Gateway' }, false],
  [500, { type: '' }, false],
  [500, { msg: 5 }, false],
  [502, null, false],
  [502, [{ type: 'error' }], false],
])('status %i with the body %j comes from the service: %s', (status, body, isFromService) => {
  expect(isServiceError(status, body)).toBe(isFromService);
});
