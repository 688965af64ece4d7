import type { Fault } from '../../service';
import { TestEnvironment, toColumns } from '../support/testEnvironment';

/** One fault of one request. After those with `isUnknown`, the client cannot know whether the service did the work. */
export const FAULTS: Record<string, { fault: Fault; isUnknown?: true }> = {
  '500 before the work': { fault: { type: 'status', status: 500, when: 'before' }, isUnknown: true },
  '500 after the work': { fault: { type: 'status', status: 500, when: 'after' }, isUnknown: true },
  'a lost answer': { fault: { type: 'reset', when: 'after' }, isUnknown: true },
  'a timeout': { fault: { type: 'stall', ms: 3_600_000 }, isUnknown: true },
  'a 422': { fault: { type: 'status', status: 422, body: { type: 'error', msg: 'Refused' } } },
  'the limit of the day': { fault: { type: 'rateLimit', scope: 'day', retryAfter: 2 } },
};

export const CREATE = 'POST /api/v1/data-tables/{dataTableId}/records';

/** n8n waits this long before a further try, in milliseconds: longer than the limit of the day in FAULTS lasts. */
export const RETRY = { retryOnFail: true, waitBetweenTries: 3_000 };

interface CreateCase {
  count: number;
  /** Position of the request that has the fault, from 0. */
  position: number;
  fault: string;
  maxTries: number;
  dedupeField?: string;
  onError?: string;
}

/** Creates `count` records in a node with Retry On Fail. One of the requests has a fault. */
export async function createWithRetries({
  count,
  position,
  fault,
  maxTries,
  dedupeField,
  onError,
}: CreateCase) {
  const env = await TestEnvironment.start({ sample: 'empty' });
  try {
    await env.setCredentialFields({ parallelRequests: 1, requestTimeout: 20 });
    const table = env.service.addTable({
      name: 'Things',
      fields: [{ name: 'Key', type: 'Text', unique: dedupeField !== undefined }],
    });
    const input = Array.from({ length: count }, (_, index) => ({ key: `k${index}` }));
    const when = { pattern: CREATE, method: 'POST', nth: position + 1 };
    env.service.faults.add({ when, fault: FAULTS[fault]!.fault });
    const run = await env.runRecordOperation(
      'create',
      table,
      {
        columns: toColumns({ key: '={{ $json.key }}' }),
        ...(dedupeField && { options: { dedupeField } }),
      },
      input,
      { ...RETRY, maxTries, ...(onError && { onError }) },
    );
    const stored = [...table.records.values()].map(({ key }) => String(key));
    return {
      message: run.error?.message,
      description: String((run.error as { description?: string } | undefined)?.description ?? ''),
      stored,
      /** Keys that exist more than once. */
      doubled: stored.filter((key, index) => stored.indexOf(key) !== index),
      keys: run.error ? [] : run.getJson('Node').map(({ key, error }) => key ?? `error: ${String(error)}`),
      pairs: run.error ? [] : run.getItems('Node').map(({ pairedItem }) => pairedItem),
      requests: env.service.requests.filter(({ pattern }) => pattern === CREATE).length,
    };
  } finally {
    await env.stop();
  }
}

export const listKeys = (count: number) => Array.from({ length: count }, (_, index) => `k${index}`);

/** Runs a case and expects that every record exists once, or that the error names the unknown one. */
export async function expectCreatedOnce(one: CreateCase): Promise<void> {
  const { count, position, fault, dedupeField } = one;
  const outcome = await createWithRetries(one);
  const keys = listKeys(count);
  const isUnknown = FAULTS[fault]!.isUnknown === true && dedupeField === undefined;
  const wasDone = fault !== '500 before the work';
  expect({ one, ...outcome }).toMatchObject({
    doubled: [],
    stored: isUnknown ? keys.slice(0, position + (wasDone ? 1 : 0)) : keys,
    keys: isUnknown ? [] : keys,
    pairs: isUnknown ? [] : keys.map((_, item) => ({ item })),
    message: isUnknown ? expect.stringMatching(/^Item \d+ of 20: Outcome unknown: /) : undefined,
    description: isUnknown ? expect.stringContaining('"Dedupe Field Name or ID"') : '',
    // A request is sent once for each item, and once more for the one that was refused.
    ...(dedupeField === undefined && { requests: isUnknown ? position + 1 : count + 1 }),
  });
}
