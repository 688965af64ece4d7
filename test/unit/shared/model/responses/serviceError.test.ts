import { apiKeyEndpoints } from '../../../../../nodes/shared/model/endpoints/apiKey';
import type { Endpoint } from '../../../../../nodes/shared/model/endpoints/endpoint';
import { componentEndpoints } from '../../../../../nodes/shared/model/endpoints/pages';
import { recordEndpoints } from '../../../../../nodes/shared/model/endpoints/records';
import { tableEndpoints } from '../../../../../nodes/shared/model/endpoints/tables';
import { taskEndpoints } from '../../../../../nodes/shared/model/endpoints/tasks';
import { webhookEndpoints } from '../../../../../nodes/shared/model/endpoints/webhooks';
import { findSubject } from '../../../../../nodes/shared/model/responses/errors/findSubject';
import { explainServiceError } from '../../../../../nodes/shared/model/responses/serviceError';

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
  [404, 'Task Not Found', /^The item does not exist$/, /Pick it from the list/],
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
  const told = explainServiceError(status, { type: 'error', msg });
  expect(told.message).toMatch(message);
  expect(told.description).toMatch(description);
  expect(told.description).toContain([status, msg].filter(Boolean).join(' '));
});

test('the message is found whatever its case', () => {
  expect(explainServiceError(401, { msg: 'app not found' })).toEqual({
    ...explainServiceError(401, { msg: 'APP NOT FOUND' }),
    description: expect.stringMatching(/The service answered: 401 app not found\.$/) as string,
  });
});

test('lists the fields with the errors that the service returns for each', () => {
  const errors = { email: ['is no address', 'is taken'], amount: 'is too high' };
  expect(explainServiceError(422, { msg: 'Validation failed', errors }).message).toBe(
    'The service did not accept the values (email: is no address, is taken; amount: is too high)',
  );
});

test.each<[unknown, string]>([
  [
    { lines: [{ amount: ['is too high'] }, { amount: 'is not a number' }] },
    'lines.amount: is too high, is not a number',
  ],
  [
    { address: { city: ['is required'], zip: ['is wrong'] } },
    'address.city: is required; address.zip: is wrong',
  ],
  [['No access', 'Too late'], 'No access, Too late'],
  [{ email: [null, '', 'is taken'] }, 'email: is taken'],
])('nested errors %j are readable', (errors, text) => {
  expect(explainServiceError(422, { msg: 'Validation failed', errors }).message).toBe(
    `The service did not accept the values (${text})`,
  );
});

test.each<[Endpoint, string]>([
  [taskEndpoints.run, 'The task does not exist'],
  [taskEndpoints.getExecution, 'The execution does not exist'],
  [tableEndpoints.listFields, 'The table does not exist'],
  [componentEndpoints.getDetails, 'The page or component does not exist'],
  [webhookEndpoints.unsubscribe, 'The webhook subscription does not exist'],
  [apiKeyEndpoints.getStatus, 'The item does not exist'],
])('the error for a 404 names the object of the endpoint: %#', (endpoint, message) => {
  const body = { type: 'error', msg: 'Not Found' };
  expect(explainServiceError(404, body, findSubject(endpoint)).message).toBe(message);
});

test.each<[string, Record<string, unknown>, string]>([
  ['Record Not Found', { dataTableId: 'T1', recordId: ' R1 ' }, 'The record "R1" does not exist'],
  ['Table Not Found', { dataTableId: 'T1', recordId: 'R1' }, 'The table "T1" does not exist'],
  ['Not Found', { dataTableId: 'T1', recordId: 'R1' }, 'The table "T1" or record "R1" does not exist'],
  ['Record Not Found', { recordId: 'x'.repeat(61) }, `The record "${'x'.repeat(59)}…" does not exist`],
  ['Record Not Found', { recordId: '' }, 'The record does not exist'],
])('the error for "%s" with the path %j shows the ID', (msg, path, message) => {
  const named = findSubject(recordEndpoints.get, path);
  expect(explainServiceError(404, { type: 'error', msg }, named).message).toBe(message);
});

test('the error for a 404 from elsewhere than the service names the address, not the ID', () => {
  const { message, description } = explainServiceError(404, '<html>', { subject: 'task' });
  expect(message).toBe('The address of this call was not found');
  expect(description).toMatch(/Check the Base URL/);
});

test.each([undefined, null, 'text', '<html>', 7, [], { msg: 5 }, { errors: 'x' }, { errors: null }])(
  'an answer of %j is explained by its status alone',
  (body) => {
    expect(explainServiceError(403, body)).toEqual({
      message: 'The API key lacks the permission for this',
      description: expect.stringMatching(/ The service answered: 403\.$/) as string,
    });
  },
);
