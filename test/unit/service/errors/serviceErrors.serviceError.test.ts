import {
  apiKeyEndpoints,
  componentEndpoints,
  type Endpoint,
  recordEndpoints,
  tableEndpoints,
  taskEndpoints,
  webhookEndpoints,
} from '../../../../nodes/service';
import { explainServiceError, findCallSubject } from '../../../../nodes/service/errors/serviceErrors';

const explain = (status: number, body: unknown, named?: Parameters<typeof explainServiceError>[3]) =>
  explainServiceError(status, body, body, named);

/** A status for which there is no rule. */
test.each<[number, unknown, string, string]>([
  [400, 'Odd', 'The service refused the request', 'It answered: 400 Odd. Check the parameters of this node.'],
  [418, '', 'The service refused the request', 'It answered: 418. Check the parameters of this node.'],
  [
    499,
    'Gone',
    'The service refused the request',
    'It answered: 499 Gone. Check the parameters of this node.',
  ],
  [500, 'Oops', 'The service failed while answering', 'It answered: 500 Oops. Try again later.'],
  [503, '', 'The service failed while answering', 'It answered: 503. Try again later.'],
  [503, 5, 'The service failed while answering', 'It answered: 503. Try again later.'],
])('%i "%s"', (status, msg, message, description) => {
  expect(explain(status, { type: 'error', msg })).toEqual({ message, description });
});

test.each([
  ['Table Not Found', 'The table does not exist'],
  ['Record Not Found', 'The record does not exist'],
  ['Task Not Found', 'The item does not exist'],
])('the error for "%s" without a known ID', (msg, message) => {
  expect(explain(404, { type: 'error', msg }).message).toBe(message);
});

test('lists the fields with the errors that the service returns for each', () => {
  const errors = { email: ['is no address', 'is taken'], amount: 'is too high' };
  expect(explain(422, { msg: 'Validation failed', errors }).message).toBe(
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
  expect(explain(422, { msg: 'Validation failed', errors }).message).toBe(
    `The service did not accept the values (${text})`,
  );
});

test.each<[Endpoint, string]>([
  [taskEndpoints.run, 'The task does not exist'],
  [taskEndpoints.getExecution, 'The run does not exist'],
  [tableEndpoints.listFields, 'The table does not exist'],
  [componentEndpoints.getDetails, 'The page or component does not exist'],
  [webhookEndpoints.unsubscribe, 'The webhook subscription does not exist'],
  [apiKeyEndpoints.getStatus, 'The item does not exist'],
])('the error for a 404 names the object of the endpoint: %#', (endpoint, message) => {
  const body = { type: 'error', msg: 'Not Found' };
  expect(explain(404, body, findCallSubject(endpoint)).message).toBe(message);
});

test.each<[string, Record<string, unknown>, string]>([
  ['Record Not Found', { dataTableId: 'T1', recordId: ' R1 ' }, 'The record "R1" does not exist'],
  ['Table Not Found', { dataTableId: 'T1', recordId: 'R1' }, 'The table "T1" does not exist'],
  ['Not Found', { dataTableId: 'T1', recordId: 'R1' }, 'The table "T1" or record "R1" does not exist'],
  ['Record Not Found', { recordId: '' }, 'The record does not exist'],
])('the error for "%s" with the path %j shows the ID', (msg, path, message) => {
  const named = findCallSubject(recordEndpoints.get, path);
  expect(explain(404, { type: 'error', msg }, named).message).toBe(message);
});

test('the error for a 404 from elsewhere than the service names the address, not the ID', () => {
  expect(explain(404, '<html>', { subject: 'task' })).toEqual({
    message: 'The address of this call was not found',
    description:
      'The answer (404) does not come from the Record Database Service: another server or a proxy sent it. Check the Base URL in the Record Database API credential.',
  });
});

test.each([{}, { msg: 5 }, { errors: null }])('an answer of %j is explained by its status alone', (body) => {
  expect(explain(403, body)).toEqual({
    message: 'The API key lacks the permission for this',
    description: expect.stringMatching(/ The service answered: 403\.$/) as string,
  });
});

test.each([undefined, null, 'text', '<html>', 7, []])(
  'a refusal of %j is no answer of the service, and is not about the key',
  (body) => {
    expect(explain(403, body).message).toBe('A proxy in front of the service refused the call');
    expect(explain(422, body).description).toMatch(/ The service answered: 422\.$/);
  },
);

test('a message that ends in a full stop gets no second one', () => {
  const { description } = explain(401, { type: 'error', msg: 'Unauthenticated.' });
  expect(description).toMatch(/ The service answered: 401 Unauthenticated\.$/);
  expect(explain(500, { msg: 'Oops.' }).description).toBe('It answered: 500 Oops. Try again later.');
});

test.each([{ message: 'Blocked by a rule' }, { msg: null, error: 'Blocked by a rule' }])(
  'the reason in %j is shown',
  (body) => {
    expect(explain(403, body).description).toMatch(/ The service answered: 403 Blocked by a rule\.$/);
  },
);

test('a list of messages in place of `msg` is not read', () => {
  expect(explain(500, { msg: ['Oops'] }).description).toBe('It answered: 500. Try again later.');
});
