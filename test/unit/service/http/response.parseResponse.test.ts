import { z } from 'zod';
import {
  authEndpoints,
  automationEndpoints,
  componentEndpoints,
  type Endpoint,
  formulaEndpoints,
  recordEndpoints,
  tableEndpoints,
  taskEndpoints,
  webhookEndpoints,
} from '../../../../nodes/service';
import { defineV1 } from '../../../../nodes/service/endpoints/endpoint';
import { parseResponse } from '../../../../nodes/service/http/response';

const startEndpoint = defineV1('POST /starts', {
  effect: 'longRunning',
  response: z.object({ list: z.array(z.string()) }),
});

const parse = (endpoint: Endpoint, body: unknown) =>
  parseResponse(endpoint, { status: 200, headers: {}, body }, 1);

test('the success type of the envelope is removed, whether the spec defines the answer or not', () => {
  expect(parse(taskEndpoints.run, { type: 'success', task_queue_id: 'q1' })).toEqual({ task_queue_id: 'q1' });
  expect(parse(automationEndpoints.run, { type: 'success', msg: 'Queued' })).toEqual({ msg: 'Queued' });
});

test('the type or the status shows that a change was made, where an answer must say it', () => {
  const endpoint = defineV1('POST /starts', { effect: 'idempotent', mustSaySuccess: true });
  expect(parse(endpoint, { type: 'success' })).toEqual({});
  expect(parse(endpoint, { status: 'success', msg: 'Done' })).toMatchObject({ msg: 'Done' });
  for (const body of [{ done: 1 }, { type: 'Success story' }, { status: 1 }, { item: { id: 'r1' } }]) {
    expect(() => parse(endpoint, body)).toThrow(
      expect.objectContaining({ isOutcomeUnknown: true, isFromService: true }),
    );
  }
});

test('keeps another type as content, also of an entry', () => {
  expect(parse(automationEndpoints.run, { type: 'Schedule' })).toEqual({ type: 'Schedule' });
  expect(parse(taskEndpoints.list, { tasks: [{ type: 'success' }] })).toMatchObject({
    items: [{ type: 'success' }],
  });
});

test.each<[Endpoint, unknown, RegExp, RegExp]>([
  [
    tableEndpoints.listFields,
    { type: 'success' },
    /^The service's answer to GET .*\/fields does not have the documented form$/,
    /^Expected a list under "fields"\. Check the Base URL/,
  ],
  [
    recordEndpoints.create,
    { type: 'success', items: [{ id: 'r1' }], total_items: 1 },
    /^Outcome unknown: the service's answer to POST .*\/records does not have/,
    /^Expected the ID .*may have been carried out\. Check in the service before you run it again\.$/,
  ],
  [
    recordEndpoints.create,
    { type: 'success', msg: 'Saved', item: {} },
    /^Outcome unknown/,
    /the ID of the record/,
  ],
  [
    startEndpoint,
    { type: 'success', list: 5 },
    /^Outcome unknown: the service's answer to POST .*\/starts does not have/,
    /the work was probably started/,
  ],
  [recordEndpoints.batchUpdateCheck, { total: 'many' }, /^The service's answer/, /^total: Expected a number/],
])('an answer without its content is an error: %#', (endpoint, body, message, description) => {
  expect(() => parse(endpoint, body)).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(message) as string,
      description: expect.stringMatching(description) as string,
      status: 200,
      isFromService: true,
      isOutcomeUnknown: ['nonIdempotent', 'longRunning'].includes(endpoint.effect),
      endpoint,
    }),
  );
});

test('where the spec does not define the answer, any content is accepted', () => {
  for (const body of [['x'], { any: 1 }, { type: 'success' }])
    expect(() => parse(formulaEndpoints.updateAll, body)).not.toThrow();
  // A read shows what it has, so an empty object may be its answer.
  expect(parse(automationEndpoints.getExecution, {})).toEqual({});
});

const SUCCESS = { type: 'success' };
/** Clients met this form. */
const MET_SUCCESS = { status: 'success', msg: 'Saved' };

/** Spec: Key facts, 4 and 5. Every success has a body with `type: 'success'`. */
test.each<[endpoint: Endpoint, bare: object[], shown: object[]]>([
  [formulaEndpoints.updateAll, [{}, []], [{ queued: 3 }]],
  [taskEndpoints.terminateExecution, [{}], [{ status: 'terminated' }]],
  [webhookEndpoints.unsubscribe, [{}], [{ msg: 'Removed' }]],
  [authEndpoints.logout, [{}], [{ msg: 'Bye' }]],
  [recordEndpoints.update, [{}, { msg: 'Saved' }, { item: { id: 'r1' } }], [SUCCESS, MET_SUCCESS]],
  [recordEndpoints.delete, [{}, [], { msg: 'Deleted' }], [SUCCESS, MET_SUCCESS]],
  [recordEndpoints.batchUpdate, [{}, { msg: 'Done' }], [{ ...SUCCESS, total: 0 }]],
  [componentEndpoints.updateRecord, [{}, { msg: 'Saved' }, { id: 'r1' }], [SUCCESS]],
  [componentEndpoints.createRecord, [{ id: 'r1' }], [{ ...SUCCESS, id: 'r1' }]],
  [recordEndpoints.create, [{}, { recordId: 'r1' }], [{ ...SUCCESS, recordId: 'r1' }]],
])(
  'an answer to a change that does not show the change leaves the outcome unknown: %#',
  (endpoint, bare, shown) => {
    for (const body of bare) {
      expect(() => parse(endpoint, body)).toThrow(
        expect.objectContaining({
          message: expect.stringMatching(/^Outcome unknown: /),
          isOutcomeUnknown: true,
        }),
      );
    }
    for (const body of shown) expect(() => parse(endpoint, body)).not.toThrow();
  },
);
