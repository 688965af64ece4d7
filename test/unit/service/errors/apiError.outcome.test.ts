import {
  ApiError,
  explainUncertainWrite,
  isNotFoundByService,
  isValueRefusal,
  isRepeatUnsafe,
  rewordError,
  mayHaveWritten,
} from '../../../../nodes/service';
import { defineV1 } from '../../../../nodes/service/endpoints/endpoint';
import { isAlreadyDone, type ApiErrorOptions } from '../../../../nodes/service/errors/apiError';

const createError = (options: Partial<ApiErrorOptions> = {}) =>
  new ApiError({ message: 'm', description: 'd', ...options });

test.each<[string, unknown, boolean]>([
  ['another error', new Error('x'), false],
  ['no answer', createError(), true],
  ['nothing sent', createError({ sentCount: 0 }), false],
  ['no answer to a read', createError({ endpoint: defineV1('GET /things') }), false],
  ['refused', createError({ status: 422, isFromService: true }), false],
  ['refused with the lowest status', createError({ status: 400, isFromService: true }), false],
  ['refused by a proxy', createError({ status: 422 }), true],
  ['refused by a proxy with the lowest status', createError({ status: 400 }), true],
  ['refused at the second attempt', createError({ status: 422, isFromService: true, sentCount: 2 }), true],
  ['redirected', createError({ status: 302 }), false],
  ['redirected with the lowest status', createError({ status: 300 }), false],
  ['another success', createError({ status: 299 }), true],
  ['limited after an attempt', createError({ status: 429, isFromService: true }), true],
  ['failed', createError({ status: 500, isFromService: true }), true],
])('a write may have changed something: %s', (_, error, expected) => {
  expect(mayHaveWritten(error)).toBe(expected);
});

const update = defineV1('POST /things/{recordId}', { effect: 'idempotent' });
const create = defineV1('POST /things');

test.each<[string, unknown, boolean]>([
  ['another error', Object.assign(new Error('x'), { isOutcomeUnknown: true }), false],
  ['a known outcome', createError({ endpoint: create }), false],
  ['a lost answer', createError({ isOutcomeUnknown: true, endpoint: create }), true],
  ['a lost answer of no endpoint', createError({ isOutcomeUnknown: true }), true],
  ['of a create with a unique value', createError({ isOutcomeUnknown: true, isRepeatable: true }), false],
  ['of an update', createError({ isOutcomeUnknown: true, endpoint: update }), false],
])('a call may have made what a second one makes again: %s', (_, error, expected) => {
  expect(isRepeatUnsafe(error)).toBe(expected);
});

test.each<[string, unknown, string | undefined]>([
  [
    'no answer',
    createError(),
    'The change may have been made: a request was sent and its answer was lost. Look. d',
  ],
  ['an outcome that is known to be unknown', createError({ isOutcomeUnknown: true }), 'd'],
  ['a refusal', createError({ status: 422, isFromService: true }), 'd'],
  ['nothing sent', createError({ sentCount: 0 }), 'd'],
  ['another error', new Error('x'), undefined],
])('the explanation of a write that failed with %s', (_, error, description) => {
  const { description: shown } = explainUncertainWrite(error, 'Look.') as Partial<ApiError>;
  expect(shown).toBe(description);
});

test.each([
  [400, true],
  [413, true],
  [414, true],
  [422, true],
  [431, true],
  [404, false],
  [undefined, false],
])('status %p refuses a value: %p', (status, expected) => {
  expect(isValueRefusal(createError({ status }))).toBe(expected);
  expect(isValueRefusal(new Error('x'))).toBe(false);
});

test.each<[string, unknown, boolean, boolean]>([
  ['a 404 of the service', createError({ status: 404, isFromService: true }), true, false],
  ['at a retry', createError({ status: 404, isFromService: true, sentCount: 2 }), true, true],
  ['of a proxy', createError({ status: 404, sentCount: 2 }), false, false],
  ['another status', createError({ status: 409, isFromService: true, sentCount: 2 }), false, false],
  ['another error', new Error('x'), false, false],
])('%s', (_, error, isNotFound, isDone) => {
  expect(isNotFoundByService(error)).toBe(isNotFound);
  expect(isAlreadyDone(error, 404)).toBe(isDone);
});

test('another explanation keeps the facts', () => {
  const error = createError({ status: 422, code: 'timeout', details: { id: 'a' }, fieldErrors: { f: 'no' } });
  const changed = rewordError(error, ({ message }) => ({ message: `${message}!` })) as ApiError;
  expect(changed).toMatchObject({ name: 'ApiError' });
  const { message, description, status, code, details, fieldErrors } = changed;
  expect({ message, description, status, code, details, fieldErrors }).toEqual({
    message: 'm!',
    description: 'd',
    status: 422,
    code: 'timeout',
    details: { id: 'a' },
    fieldErrors: { f: 'no' },
  });
  expect(changed).toBeInstanceOf(ApiError);
  expect(error.message).toBe('m');
  const other = new Error('x');
  expect(rewordError(other, () => ({ message: 'y' }))).toBe(other);
});

test('facts that are not given', () => {
  const error = createError();
  const { sentCount, isOutcomeUnknown, isRepeatable, isFromService, fieldErrors } = error;
  expect({ sentCount, isOutcomeUnknown, isRepeatable, isFromService, fieldErrors }).toEqual({
    sentCount: 1,
    isOutcomeUnknown: false,
    isRepeatable: false,
    isFromService: false,
    fieldErrors: {},
  });
});
