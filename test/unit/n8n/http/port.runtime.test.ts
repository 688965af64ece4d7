import {
  type ApiContext,
  createNodeClient,
  createPort,
  createRuntime,
} from '../../../../nodes/n8n/http/port';
import { InputError } from '../../../../nodes/service';

/** What a client gets of the context that n8n hands to a node. */

const createContext = (more: object = {}) => ({ getTimezone: () => 'UTC', ...more }) as unknown as ApiContext;

test.each([
  ['a node that runs', { getInputData: () => [] }, 'normal'],
  ['a poll', { __emit: () => undefined }, 'normal'],
  ['a dropdown, a delivery or the publishing', {}, 'urgent'],
])('the calls of %s are in their lane', (_what, context, lane) => {
  expect(createRuntime(createContext(context)).lane).toBe(lane);
});

test('waits end with the execution, or with what the caller gives', () => {
  const { signal } = new AbortController();
  const context = createContext({ getExecutionCancelSignal: () => signal });
  expect(createRuntime(context).signal).toBe(signal);
  expect(createRuntime(createContext()).signal).toBeUndefined();
  const other = new AbortController().signal;
  expect(createRuntime(context, other).signal).toBe(other);
});

const REQUEST = {
  method: 'POST',
  url: 'https://s.example/a',
  headers: {},
  timeout: 60_000,
  maxBytes: 9,
} as const;

describe.each([
  ['a login', (context: ApiContext) => createPort(context, {}).send(REQUEST, { login: true })],
  [
    'a download',
    (context: ApiContext, signal?: AbortSignal) =>
      createPort(context, {}).openFile('https://f.example', 1, signal),
  ],
])('%s', (_what, send) => {
  test('is sent without the credential, and ends with the execution', async () => {
    const execution = new AbortController();
    const signals: AbortSignal[] = [];
    const httpRequest = async ({ abortSignal }: { abortSignal: AbortSignal }) => {
      signals.push(abortSignal);
      return { statusCode: 200, headers: {}, body: '' };
    };
    const context = createContext({
      helpers: { httpRequest },
      getExecutionCancelSignal: () => execution.signal,
    });
    expect(await send(context, execution.signal)).toMatchObject({ status: 200 });
    expect(await send(createContext({ helpers: { httpRequest } }))).toMatchObject({ status: 200 });
    execution.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });
});

test.each([
  ['ExpressionError', 'The credential has an expression without a value here (no item)'],
  ['Error', 'no item'],
])('an %s of the credential is explained', async (name, message) => {
  const getCredentials = async () => {
    throw Object.assign(new Error('no item'), { name });
  };
  const failure: unknown = await createNodeClient(createContext({ getCredentials })).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({ message });
  expect(failure instanceof InputError).toBe(name === 'ExpressionError');
});
