import { skipWaits } from '../../environment/skipWaits';
import { createSeed, scaleRuns } from '../../randomness';
import type { Fault } from '../../service';
import { Random } from '../../service/state/random';
import { AUTO_MAP, TestEnvironment } from '../support/testEnvironment';

/** Random tables, inputs and faults: repeated syncs finish, and no key exists twice. */

const FAULTS: Array<[probability: number, fault: Fault]> = [
  [0.03, { type: 'reset', when: 'before' }],
  [0.03, { type: 'reset', when: 'after' }],
  [0.02, { type: 'status', status: 500, when: 'after' }],
  [0.03, { type: 'status', status: 422, body: { type: 'error', msg: 'Rule', status: 422 } }],
  [0.02, { type: 'truncate' }],
];

/** Runs that a test allows. Each makes most of the remaining changes. */
const MAX_RUNS = 15;

interface Row {
  key: string;
  note: string;
  amount: number | null;
}

const createRows = (random: Random, count: number): Row[] =>
  Array.from({ length: count }, (_, index) => index)
    .filter(() => random.nextBoolean(0.7))
    .map((index) => ({
      key: `k${index}`,
      note: random.pick(['', 'a', 'b']),
      amount: random.pick([0, 1, 2.5, null]),
    }));

const toText = ({ key, note, amount }: Record<string, unknown>) => JSON.stringify([key, note, amount]);

skipWaits();

const firstSeed = createSeed();
const seeds = Array.from({ length: scaleRuns(100) }, (_, index) => firstSeed + index);

test.each(seeds)('seed %i: repeated syncs under faults make the table equal to the input', async (seed) => {
  const random = new Random(seed);
  const env = await TestEnvironment.start({ sample: 'empty', seed });
  try {
    const table = env.service.addTable({
      name: 'Things',
      fields: [
        { name: 'Key', type: 'Text' },
        { name: 'Note', type: 'Text' },
        { name: 'Amount', type: 'Number' },
        { name: 'Own', type: 'Text' },
      ],
    });
    for (const row of createRows(random, 40)) table.insert({ ...row, own: `own ${row.key}` });
    const owners = new Map([...table.records.values()].map(({ key, own }) => [key, own]));
    const input = createRows(random, 40);
    if (input.length === 0) return;
    const deleteMissing = random.nextBoolean(0.5);
    const kept = [...table.records.values()]
      .filter(({ key }) => !input.some((row) => row.key === key))
      .map(toText);
    for (const [probability, fault] of FAULTS)
      env.service.faults.add({ times: Infinity, probability, fault });

    const parameters = {
      columns: { ...AUTO_MAP, matchingColumns: ['key'] },
      deleteMissing,
      maximumDeletions: '100%',
      output: 'summary',
    };
    let isDone = false;
    for (let run = 1; run <= MAX_RUNS && !isDone; run++) {
      if (run === MAX_RUNS) env.service.faults.clear();
      const { error, getJson } = await env
        .runRecordOperation('sync', table, parameters, input, { onError: 'continueRegularOutput' })
        .then((done) => ({ error: done.error, getJson: () => done.getJson('Node') }))
        // The test's own request for the columns met a fault.
        .catch((thrown: Error) => ({ error: thrown, getJson: () => [] }));
      const [summary] = error ? [] : getJson();
      isDone = summary?.unchanged === input.length && summary.deleted === 0 && summary.failed === 0;
    }
    expect(isDone).toBe(true);
    const records = [...table.records.values()];
    const wanted = [...input.map((row) => toText({ ...row })), ...(deleteMissing ? [] : kept)];
    expect(records.map(toText).sort()).toEqual(wanted.sort());
    const known = records.filter(({ key }) => owners.has(key));
    expect(known.map(({ own }) => own)).toEqual(known.map(({ key }) => owners.get(key)));
  } finally {
    await env.stop();
  }
});
