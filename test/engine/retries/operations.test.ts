import type { Operation } from '../../../nodes/n8n/operation/operation';
import { formatEndpoint } from '../../../nodes/service';
import { readCalledEndpoints } from '../../calledEndpoints';
import { skipWaits } from '../../environment/skipWaits';
import { listOperations } from '../../operations';
import type { FaultRule } from '../../service';
import type { RecordedRequest } from '../../service/http/recorder';
import { createObject, withNeededObject } from '../support/neededObjects';
import {
  type ContractCase,
  INPUT_ITEM,
  createContractCases,
  findSampleIds,
  formatCalledEndpoint,
  runOperation,
} from '../support/runOperation';
import { TestEnvironment } from '../support/testEnvironment';

/** Each operation that changes or starts something, in a node with Retry On Fail. The list comes from the operations. */
skipWaits();

let env: TestEnvironment;
let cases: ContractCase[];
let tag = 0;
beforeAll(async () => {
  env = await TestEnvironment.start();
  await env.setCredentialFields({ parallelRequests: 1 });
  cases = createContractCases(env, await findSampleIds(env));
});
afterAll(() => env.stop());
afterEach(() => env.service.faults.clear());

const called = readCalledEndpoints();

const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const CREATE = 'POST /api/v1/data-tables/{dataTableId}/records';

/** The endpoints whose second call has a second effect. POST on records also lists; a save with an ID is an update. */
const listStarts = (operation: Operation, parameters: Record<string, unknown> = {}): string[] =>
  called
    .get(operation)!
    .filter(
      ({ effect, path }) => effect === 'nonIdempotent' && !(path.endsWith('/save') && parameters.recordId),
    )
    .map(formatEndpoint)
    .map((name) => (name === CREATE ? `${name} create` : name));

const isSuccess = ({ status }: RecordedRequest) => status >= 200 && status < 300;

/** POST on records also lists, with the number of a page. */
const isList = ({ intent, body }: RecordedRequest) =>
  intent === 'list' || (typeof body === 'object' && body !== null && 'page' in body && 'limit' in body);

const changing = listOperations().filter(({ writes }) => writes);

/** E-mail addresses are unique in the table, so each item of each run has another one. */
const withOwnAddresses = (parameters: object): Record<string, unknown> =>
  JSON.parse(
    JSON.stringify(parameters).replaceAll(/"(\w+)@example\.com"/g, (_, name: string) =>
      JSON.stringify(`={{ '${name}${tag}x' + $itemIndex + '@example.com' }}`),
    ),
  );

/** Runs a case for two items, one after the other, and returns its calls. */
async function runTwoItems({ type, parameters, operation }: ContractCase, rule?: FaultRule) {
  tag++;
  const needed = await withNeededObject(parameters, (name) => createObject(env, name));
  const given = withOwnAddresses(needed);
  const from = env.service.requests.length;
  if (rule) env.service.faults.add(rule);
  const run = await runOperation(env, type, given, [INPUT_ITEM, INPUT_ITEM], RETRY);
  env.service.faults.clear();
  const requests = env.service.requests.slice(from);
  const starts = listStarts(operation, parameters);
  return {
    message: run.error?.message,
    outputs: run.error ? undefined : run.getItems('Node').length,
    starts: requests.filter((request) => starts.includes(formatCalledEndpoint(request))),
    changes: requests.filter((request) => request.method !== 'GET' && !isList(request)).filter(isSuccess),
  };
}

const findCases = (operation: Operation) => cases.filter((one) => one.operation === operation);

/** The operations whose start lost its answer, and those that failed after a start. */
const lostStarts = new Set<Operation>();
const failedAfterStart = new Set<string>();

describe.each(changing.map((operation) => [operation.action, operation] as const))(
  '%s',
  (_action, operation) => {
    test('a start whose answer is lost is not sent again, and the error says so', async () => {
      for (const one of findCases(operation)) {
        const names = listStarts(operation, one.parameters);
        // A POST on records may be a look-up before the create.
        for (const nth of names.includes(`${CREATE} create`) ? [1, 2, 3] : [1]) {
          let seen = 0;
          const isDue = (request: string) => names.some((name) => name.startsWith(request)) && ++seen === nth;
          const { starts, message, outputs } = await runTwoItems(one, {
            when: { method: 'POST', pattern: { test: isDue } as unknown as RegExp },
            fault: { type: 'reset', when: 'after' },
          });
          const wasLost = starts.some(({ status }) => status === 0);
          if (wasLost) lostStarts.add(operation);
          // Create or Update and Sync look for the record, so they may succeed.
          const isReported = !wasLost || outputs !== undefined || /Outcome unknown: /.test(String(message));
          expect({ name: one.name, again: starts.length > 2, isReported, message }).toMatchObject({
            name: one.name,
            again: false,
            isReported: true,
          });
        }
      }
    });

    test('what was started is not started again when all later reads fail', async () => {
      for (const one of findCases(operation)) {
        const from = env.service.requests.length;
        const names = listStarts(operation, one.parameters);
        const isStarted = (request: RecordedRequest) =>
          isSuccess(request) && names.includes(formatCalledEndpoint(request));
        const hasStarted = () => env.service.requests.slice(from).some(isStarted);
        const { starts, message } = await runTwoItems(one, {
          when: { method: 'GET', pattern: { test: hasStarted } as unknown as RegExp },
          times: Infinity,
          fault: { type: 'status', status: 403, body: { type: 'error', msg: 'Refused' } },
        });
        const { length: started } = starts.filter(isSuccess);
        if (started > 0 && message !== undefined) failedAfterStart.add(operation.action);
        const most = message === undefined ? 2 : 1;
        expect({ name: one.name, message, isRepeated: started > most }).toMatchObject({ isRepeated: false });
      }
    });

    test('a refused item runs again, and no other', async () => {
      for (const one of findCases(operation)) {
        await runTwoItems(one);
        const plain = await runTwoItems(one);
        let seen = 0;
        const isChange = (name: string) => !name.includes('_zmode') && ++seen === 2;
        const refused = await runTwoItems(one, {
          when: { method: 'POST', pattern: { test: isChange } as unknown as RegExp },
          fault: { type: 'status', status: 422, body: { type: 'error', msg: 'Refused' } },
        });
        expect({
          name: one.name,
          isFailed: refused.message !== undefined,
          outputs: refused.outputs,
          more: refused.changes.length > plain.changes.length,
        }).toEqual({
          name: one.name,
          isFailed: plain.message !== undefined,
          outputs: plain.outputs,
          more: false,
        });
      }
    });
  },
);

test('the start of each operation that has one lost its answer', () => {
  const starting = changing.filter((operation) => listStarts(operation).length > 0);
  expect([...lostStarts].map(({ action }) => action)).toEqual(starting.map(({ action }) => action));
});

test('each operation that reads after a start failed: those that wait, and a batch update of the next item', () => {
  const waiting = changing.filter(({ parameters = [] }) => parameters.some(({ name }) => name === 'wait'));
  const names = [...waiting.map(({ action }) => action), 'Run import with items', 'Batch update records'];
  expect([...failedAfterStart].sort()).toEqual(names.sort());
});
