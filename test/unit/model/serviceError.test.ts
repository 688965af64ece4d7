import { explain } from '../../../nodes/shared/model/serviceError';

/** Spec: Errors, "Messages and their conditions". */
test.each<[number, string, RegExp, RegExp]>([
  [401, 'APP Not Found', /App ID is not known/, /App ID.*Base URL.*another region/],
  [401, 'API Not Found', /App Key or App Secret is wrong/, /paste both again.*make a new key/],
  [401, 'API Disabled', /API key is disabled/, /Enable the key/],
  [401, 'Token expired', /refused the login/, /e-mail and password/],
  [403, 'Permission Denied', /lacks the permission/, /Give the key the permission/],
  [404, 'Table Not Found', /table does not exist/, /Pick the table from the list/],
  [404, 'Record Not Found', /record does not exist/, /encoded strings/],
  [404, 'Record Not Found', /record does not exist/, /rules of the component or the user hide it/],
  [404, 'Task Not Found', /does not know what was asked for/, /Pick it from the list/],
  [412, 'Feature locked', /app's plan/, /Upgrade the plan/],
  [414, '', /too long/, /sort with n8n's Sort node/],
  [431, '', /too long/, /sort rule.*Shorten/],
  [422, 'Validation failed', /did not accept the values/, /nothing of it was saved/],
  [429, 'Too Many Attempts In Day', /limit of the day is used up/, /Wait until the limit resets/],
  [429, 'Too Many Attempts In Minute', /Too many requests in this minute/, /key of its own/],
  [400, 'Odd', /refused the request/, /^It answered: 400 Odd\. Check the parameters/],
  [418, '', /refused the request/, /^It answered: 418\. Check the parameters/],
  [499, 'Gone', /refused the request/, /Check the parameters/],
  [500, 'Oops', /failed while answering/, /^It answered: 500 Oops\. Try again later\.$/],
  [503, '', /failed while answering/, /^It answered: 503\. Try again later\.$/],
])('%i "%s"', (status, msg, message, description) => {
  const told = explain(status, { type: 'error', msg });
  expect(told.message).toMatch(message);
  expect(told.description).toMatch(description);
  expect(told.description).toContain([status, msg].filter(Boolean).join(' '));
});

test('the message is found whatever its case', () => {
  expect(explain(401, { msg: 'app not found' })).toEqual({
    ...explain(401, { msg: 'APP NOT FOUND' }),
    description: expect.stringMatching(/The service answered: 401 app not found\.$/) as string,
  });
});

test('fields are named with what the service says about each', () => {
  const errors = { email: ['is no address', 'is taken'], amount: 'is too high' };
  expect(explain(422, { msg: 'Validation failed', errors }).message).toBe(
    'The service did not accept the values (email: is no address, is taken; amount: is too high)',
  );
});

test.each([undefined, null, 'text', '<html>', 7, [], { msg: 5 }, { errors: 'x' }, { errors: null }])(
  'an answer of %j is explained by its status alone',
  (body) => {
    expect(explain(403, body)).toEqual({
      message: 'The API key lacks the permission for this',
      description: expect.stringMatching(/ The service answered: 403\.$/) as string,
    });
  },
);
