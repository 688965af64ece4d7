import { range } from 'lodash';
import type { RecordedRequest } from '../../service';
import { createField } from '../../service/data/field';
import { AUTO_MAP, TestEnvironment } from '../support/testEnvironment';

/** A field that somebody renames or deletes while a run writes it: nothing is reported as written that is not stored. */

const COUNT = 20;
const WRITES_BEFORE = 9;
const OPERATIONS = ['update', 'upsert', 'sync', 'create'] as const;
const CHANGES = ['renamed', 'deleted'] as const;

const isWrite = ({ method, intent, pattern }: RecordedRequest) =>
  method === 'POST' && intent !== 'list' && /records(\/\{recordId\})?$/.test(pattern ?? '');

const keepState = (change: string, state: unknown) => {
  if (change === 'deleted') return {};
  return { [change === 'renamed' ? 'stage' : 'state']: state };
};

describe.each(['documented', 'met'] as const)('%s', (profile) => {
  let env: TestEnvironment;
  beforeAll(
    async () => (env = await TestEnvironment.start({ profile, sample: 'empty', perMinute: 100_000 })),
  );
  afterAll(() => env.stop());

  let tableCount = 0;

  /** A table whose field State is changed when the service receives a write, before it carries it out. */
  function open(change: (typeof CHANGES)[number] | 'retyped') {
    const table = env.service.addTable({
      name: `Jobs ${++tableCount}`,
      fields: ['Key', 'State', 'Note'].map((name) => ({ name, type: 'Text' as const })),
    });
    const ids = range(COUNT).map((n) => table.insert({ key: `k${n}`, state: 'old', note: `n${n}` }).id);
    const changeField = () => {
      const index = table.fields.findIndex(({ slug }) => slug === 'state');
      if (change === 'deleted') table.fields.splice(index, 1);
      else if (change === 'retyped')
        table.fields[index] = createField(
          { name: 'State', type: 'Formula', formula: { text: '', evaluate: () => 'calculated' } },
          () => table.fields[index]!,
        );
      else Object.assign(table.fields[index]!, { slug: 'stage', name: 'Stage' });
      for (const [id, { state, ...rest }] of table.records)
        table.records.set(id, { ...rest, ...keepState(change, state) } as never);
    };
    const since = env.service.requests.length;
    let isDone = false;
    const until = {
      then(resolve: () => void) {
        const count = env.service.requests.slice(since).filter(isWrite).length;
        if (!isDone && count > WRITES_BEFORE) {
          isDone = true;
          changeField();
        }
        resolve();
      },
    };
    env.service.faults.add({
      times: Infinity,
      fault: { type: 'hold', until: until as unknown as Promise<void> },
    });
    return { table, ids };
  }

  const run = async (
    operation: (typeof OPERATIONS)[number],
    change: Parameters<typeof open>[0],
    more = {},
  ) => {
    const { table, ids } = open(change);
    const items = ids.map((id, n) => ({
      ...(operation === 'update' && { id }),
      key: operation === 'create' ? `new${n}` : `k${n}`,
      state: 'new',
      note: `m${n}`,
    }));
    const columns = { ...AUTO_MAP, ...(/upsert|sync/.test(operation) && { matchingColumns: ['key'] }) };
    const parameters = { columns, ...(operation === 'update' && { recordId: '={{ $json.id }}' }) };
    const done = await env.runRecordOperation(operation, table, parameters, items, more);
    env.service.faults.clear();
    env.takeViolations();
    return { done, table };
  };

  test.each(OPERATIONS.flatMap((operation) => CHANGES.map((change) => [operation, change] as const)))(
    '%s: a field that is %s is an error that names it',
    async (operation, change) => {
      const { done } = await run(operation, change);
      expect(done.error?.message).toMatch(/no (longer has the )?field "state"/);
    },
  );

  test.each(OPERATIONS)('%s: a field that is calculated now is not passed over', async (operation) => {
    const { done } = await run(operation, 'retyped');
    const told = { documented: done.getHints('Node')[0], met: done.error }[profile];
    const words = {
      documented: /not show the value .* "State"/,
      met: /no longer has the field "state" \(Text\)/,
    };
    expect(told?.message).toMatch(words[profile]);
  });

  test.each(OPERATIONS)(
    '%s with Continue On Fail: no item of a lost value is a success',
    async (operation) => {
      const { done, table } = await run(operation, 'renamed', { onError: 'continueErrorOutput' });
      const [written, failed] = [done.getJson('Node'), done.getJson('Node', 1)];
      // Answers without a record do not show which items are concerned.
      const count = profile === 'documented' ? WRITES_BEFORE - 1 : 0;
      expect(written.length).toBeGreaterThanOrEqual(count);
      expect(written.length + failed.length).toBe(COUNT);
      for (const { id } of written) expect(table.records.get(String(id))).toMatchObject({ stage: 'new' });
      for (const { error } of failed) expect(error).toMatch(/no (longer has the )?field "state"/);
    },
  );
});
