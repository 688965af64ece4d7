/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { isMatch, omit } from 'lodash';
import { createRecord, updateRecord } from '../../nodes/records';
import type { ApiError } from '../../nodes/service';
import type { Fault, StoredRecord } from '../service';
import { FILLED, UpdateEnvironment } from './updateEnvironment';

/**
 * Only Changed Fields, Watched: an update of a record with filled fields of a kind that was not seen kept is watched. On a
 * service that empties what an update does not name, nothing but files of the first record is lost.
 */

const env = new UpdateEnvironment();
beforeAll(() =>
  env.start({
    perMinute: 1_000_000,
    perDay: 1e9,
    sample: 'empty',
    omittedFile: 'blank',
  }),
);
afterAll(() => env.stop());
beforeEach(() => {
  env.hints.length = 0;
  env.service.faults.clear();
  env.service.options.omittedOnUpdate = 'keep';
});
afterEach(() => expect(env.service.violations).toEqual([]));

const empties = () => (env.service.options.omittedOnUpdate = 'blank');
const UPDATE = { method: 'POST', pattern: /records\/\w+$/ };
const READ = { method: 'GET', pattern: /records\/\w+$/ };
const DOC = ['https://files.example/a.pdf'];
const fail = (run: Promise<unknown>): Promise<ApiError> =>
  run.then(
    (result) => Promise.reject(new Error(`No failure: ${JSON.stringify(result)}`)),
    (error: ApiError) => error,
  );
/** The values of a record, without what the service adds. */
const getValues = (record: StoredRecord) => omit(record, ['id', 'created_at', 'doc']);
const PLAIN = Object.keys(FILLED);
const pickPlain = (record: StoredRecord) => JSON.stringify(PLAIN.map((key) => [key, record[key]]));

describe('a service that keeps what an update does not name', () => {
  test('the first update is watched, and the next ones are not', async () => {
    const { update, read } = await env.open();
    expect(await env.methods(() => update({ note: 'new' }))).toEqual(['GET', 'POST', 'GET']);
    expect(await env.methods(() => update({ note: 'newer' }))).toEqual(['GET', 'POST']);
    expect(await env.methods(() => update({ note: 'newer' }))).toEqual(['GET']);
    expect(getValues(read())).toMatchObject({ ...FILLED, note: 'newer' });
  });

  test('a record is watched again if it has a filled field of another kind', async () => {
    const settings = env.createApplication();
    const first = await env.open({ title: 'a', note: 'b' }, settings);
    expect(await env.methods(() => first.update({ note: 'c' }))).toEqual(['GET', 'POST', 'GET']);
    const second = await env.open({ title: 'a', number_1: 4 }, settings);
    expect(await env.methods(() => second.update({ title: 'c' }))).toEqual(['GET', 'POST', 'GET']);
    expect(await env.methods(() => second.update({ title: 'd' }))).toEqual(['GET', 'POST']);
    const third = await env.open({ ...FILLED, doc: DOC }, settings);
    expect(await env.methods(() => third.update({ number_1: 9 }))).toEqual(['GET', 'POST', 'GET']);
  });

  test.each([{ title: 'a' }, { title: 'a', number_1: 0, multi_select_1: [], decision_box_1: 0, note: '' }])(
    'a record without another filled field is not watched: %j',
    async (values) => {
      const { update } = await env.open(values);
      expect(await env.methods(() => update({ title: 'b' }))).toEqual(['GET', 'POST']);
    },
  );

  test('the result has the record as it was read after the write', async () => {
    const { update, id } = await env.open();
    expect(await update({ note: 'new' })).toMatchObject({
      action: 'updated',
      record: { id, ...omit(FILLED, 'person', 'decision_box_1'), note: 'new' },
    });
  });
});

describe('a service that empties what an update does not name', () => {
  beforeEach(empties);

  test('the record is as before, and the error names the setting', async () => {
    const { update, read, id } = await env.open();
    const before = read();
    const requests = await env.methods(async () => {
      const error = await fail(update({ note: 'new', number_1: 6 }));
      expect(error.message).toBe(`Record ${id}: the service empties the fields that an update does not name`);
      expect(error.description).toContain('Choose All Fields under An Update Sends, in the credential');
      expect(error.description).toContain('the record is as before, and the item was not written');
      expect(error.details).toEqual({ recordId: id });
    });
    expect(requests).toEqual(['GET', 'POST', 'GET', 'POST']);
    expect(getValues(read())).toEqual(getValues(before));
  });

  test('a field that was empty before is empty again', async () => {
    const { update, read } = await env.open(omit(FILLED, 'note', 'number_1', 'select_1', 'multi_select_1'));
    const before = read();
    const values = {
      note: 'new',
      number_1: 6,
      select_1: 'c',
      multi_select_1: ['c'],
      person: { first_name: 'Eve' },
    };
    await fail(update(values));
    expect(getValues(read())).toEqual(getValues(before));
  });

  test('a file cannot be written back: the error names it with what it held', async () => {
    const { update, read, id } = await env.open({ ...FILLED, doc: DOC });
    const before = read();
    const error = await fail(update({ note: 'new' }));
    expect(error.description).toContain('"Doc" held');
    expect(error.description).toContain('a.pdf');
    expect(error.details).toMatchObject({ recordId: id, before: { id, title: 'Lamp' } });
    expect(getValues(read())).toEqual(getValues(before));
  });

  test('no further update of the application is sent, creates go on', async () => {
    const settings = env.createApplication();
    const first = await env.open(FILLED, settings);
    await fail(first.update({ note: 'new' }));
    const { update, client, fields, encode, read } = await env.open({ title: 'a', note: 'b' }, settings);
    const before = read();
    const requests = await env.methods(async () => {
      const error = await fail(update({ title: 'c' }));
      expect(error.message).toContain('so no update is sent');
      expect(error.description).toMatch(
        /^Nothing was sent\. An update of record \w+ emptied "Title", "Code"/,
      );
      expect(error.description).toContain('All Fields under An Update Sends');
    });
    expect(requests).toEqual([]);
    expect(read()).toEqual(before);
    await createRecord(client, { table: fields, entries: encode({ title: 'new' }) });
    // Another setting of the same application sends.
    const all = await env.open({ title: 'a', note: 'b' }, { ...settings, updateSends: 'all' });
    expect(await all.update({ title: 'c' })).toMatchObject({ action: 'updated' });
    expect(all.read()).toMatchObject({ title: 'c', note: 'b' });
    const other = await env.open({ title: 'a' });
    expect(await other.update({ title: 'c' })).toMatchObject({ action: 'updated' });
  });

  test('a table with one filled field', async () => {
    const { update, read } = await env.open({ number_2: 3 });
    const before = read();
    const error = await fail(update({ title: 'a' }));
    expect(error.description).toContain(
      'If a rule of the table empties these fields, choose Only Changed Fields.',
    );
    expect(getValues(read())).toEqual(getValues(before));
  });

  test('a value that the service stores in another form is recognised', async () => {
    const { update, read, table } = await env.open(FILLED, undefined, env.addTable({ rules: [trimTitle] }));
    const before = read();
    await fail(update({ title: '  Chair ' }));
    expect(getValues(read())).toEqual(getValues(before));
    expect(table.records.size).toBe(1);
  });

  test('two executions at once: one record is emptied for a moment, the other is not written', async () => {
    const settings = env.createApplication();
    const opened = await Promise.all(Array.from({ length: 8 }, () => env.open(FILLED, settings)));
    const before = opened.map(({ read }) => getValues(read()));
    const requests = await env.methods(() =>
      Promise.all(opened.map(({ update }) => fail(update({ note: 'new' })))),
    );
    expect(opened.map(({ read }) => getValues(read()))).toEqual(before);
    expect(requests.filter((method) => method === 'POST')).toHaveLength(2);
  });

  test('two processes: each ends with its error, and both records are as before', async () => {
    const opened = await Promise.all([env.open(), env.open()]);
    const before = opened.map(({ read }) => getValues(read()));
    await Promise.all(opened.map(({ update }) => fail(update({ note: 'new' }))));
    expect(opened.map(({ read }) => getValues(read()))).toEqual(before);
  });

  test('an update that is stopped after its write writes the old values back, and the next one is refused', async () => {
    const settings = env.createApplication();
    const { table, id, fields, encode, read } = await env.open(FILLED, settings);
    const before = read();
    const stop = new AbortController();
    const client = env.createClient(settings, stop.signal);
    env.service.faults.add({ when: UPDATE, fault: { type: 'stall', ms: 20 } });
    const run = updateRecord(client, {
      table: fields,
      recordId: id,
      entries: encode({ note: 'new' }),
      timeZone: 'UTC',
    });
    await untilRequested(UPDATE.pattern, table.id);
    stop.abort();
    await fail(run);
    expect(getValues(read())).toEqual(getValues(before));
    const next = await env.open(FILLED, settings);
    expect((await fail(next.update({ note: 'new' }))).message).toContain('so no update is sent');
  });

  test('an update that is stopped before its write leaves the watch to the next one', async () => {
    const settings = env.createApplication();
    const { id, fields, encode } = await env.open(FILLED, settings);
    const stop = new AbortController();
    const client = env.createClient(settings, stop.signal);
    stop.abort();
    await fail(
      updateRecord(client, {
        table: fields,
        recordId: id,
        entries: encode({ note: 'new' }),
        timeZone: 'UTC',
      }),
    );
    const next = await env.open(FILLED, settings);
    const before = next.read();
    expect((await fail(next.update({ note: 'new' }))).message).toContain('the service empties the fields');
    expect(getValues(next.read())).toEqual(getValues(before));
  });
});

const trimTitle = (record: StoredRecord) => void (record.title = String(record.title ?? '').trim());

async function untilRequested(pattern: RegExp, tableId: string): Promise<void> {
  const isSent = () =>
    env.service.requests.some(
      ({ method, path }) => method === 'POST' && pattern.test(path) && path.includes(tableId),
    );
  while (!isSent()) await new Promise((resolve) => setImmediate(resolve));
}

describe('a rule that empties a field', () => {
  const emptyCode = (record: StoredRecord) => void (record.code = '');

  test('of which others of its kind stay is a hint, and nothing is written', async () => {
    const { update, read, id } = await env.open(FILLED, undefined, env.addTable({ rules: [emptyCode] }));
    const requests = await env.methods(() => update({ note: 'new' }));
    expect(requests).toEqual(['GET', 'POST', 'GET']);
    expect(read()).toMatchObject({ note: 'new', code: '', title: 'Lamp' });
    expect(env.hints).toEqual([
      `Record ${id}: "Code" is empty after an update that did not name it; it held "C-1". A rule of the table, or somebody else, may have emptied it.`,
    ]);
    expect(await env.methods(() => update({ note: 'newer' }))).toEqual(['GET', 'POST']);
  });

  test('that is the only one of its kind looks like a service that empties: the error names the way out', async () => {
    const table = env.addTable({ rules: [emptyCode] });
    const settings = env.createApplication();
    const { update } = await env.open({ number_1: 3, code: 'C-1' }, settings, table);
    const error = await fail(update({ number_1: 4 }));
    expect(error.description).toContain('emptied "Code"');
    expect(error.description).toContain('choose Only Changed Fields');
    const changed = await env.open(
      { number_1: 3, code: 'C-1' },
      { ...settings, updateSends: 'changed' },
      table,
    );
    expect(await env.methods(() => changed.update({ number_1: 4 }))).toEqual(['GET', 'POST']);
    expect(changed.read()).toMatchObject({ number_1: 4, code: '' });
  });
});

test('somebody else who empties a field after a reading that does not show the change settles nothing', async () => {
  const { update, id, read } = await env.open();
  const item = { ...read(), id, note: 'old' };
  env.service.faults.add({
    when: { ...READ, nth: 2 },
    fault: { type: 'status', status: 200, body: { type: 'success', item } },
  });
  expect(await env.methods(() => update({ note: 'new' }))).toEqual(['GET', 'POST', 'GET']);
  // An answer without the record may report a success of a write that was not carried out.
  expect(env.hints).toEqual([
    'A record that was read after its update does not show what was sent to "Note". A rule of the table may have changed it, or the reading was outdated.',
  ]);
  expect(await env.methods(() => update({ note: 'newer' }))).toEqual(['GET', 'POST', 'GET']);
  expect(await env.methods(() => update({ note: 'newest' }))).toEqual(['GET', 'POST']);
});

test('a password, which is shown as a mask, and a field that the user does not see contradict no success', async () => {
  const fields = [
    { name: 'Title', type: 'Text' as const },
    { name: 'Note', type: 'Text' as const },
    { name: 'Pin', type: 'Password' as const },
  ];
  const { update, read, id } = await env.open(
    { title: 'Lamp', note: 'old', pin: '1234' },
    env.createApplication(),
    env.addTable({ fields }),
  );
  const item = { ...omit(read(), 'note'), id };
  env.service.faults.add({
    when: { ...READ, nth: 2 },
    fault: { type: 'status', status: 200, body: { type: 'success', item } },
  });
  expect(await env.methods(() => update({ note: 'new' }))).toEqual(['GET', 'POST', 'GET']);
  expect(await env.methods(() => update({ pin: '5678' }))).toEqual(['GET', 'POST', 'GET']);
  expect(env.hints).toEqual([]);
  // The mask shows that the password is stored, so the update has shown that texts are kept.
  expect(await env.methods(() => update({ pin: '9012' }))).toEqual(['GET', 'POST']);
});

describe.each(['keep', 'blank'] as const)(
  'a fault at each request of a watched update: %s',
  (omittedOnUpdate) => {
    const FAULTS: Array<[string, Fault, times: number]> = [
      ['a 500', { type: 'status', status: 500 }, 1],
      ['500 for good', { type: 'status', status: 500 }, 50],
      ['a 500 after the work', { type: 'status', status: 500, when: 'after' }, 1],
      ['500 after the work for good', { type: 'status', status: 500, when: 'after' }, 50],
      ['a broken connection', { type: 'reset', when: 'before' }, 1],
      ['a lost answer', { type: 'reset', when: 'after' }, 1],
      ['lost answers', { type: 'reset', when: 'after' }, 50],
      ['half an answer', { type: 'truncate' }, 1],
      ['an empty answer', { type: 'status', status: 200, body: '', when: 'after' }, 1],
      ['an answer without success', { type: 'status', status: 200, body: {}, when: 'after' }, 1],
      [
        'a refusal',
        { type: 'status', status: 403, body: { type: 'error', msg: 'Permission Denied', status: 403 } },
        1,
      ],
      [
        'a validation error',
        { type: 'status', status: 422, body: { type: 'error', msg: 'Validation failed', status: 422 } },
        1,
      ],
      ['the limit of the minute', { type: 'rateLimit', scope: 'minute', retryAfter: 5 }, 1],
      ['a page of a proxy', { type: 'html', status: 502 }, 50],
    ];
    const cases = FAULTS.flatMap(([name, fault, times]) =>
      [0, 1, 2, 3].map((skip) => ({ name, fault, times, skip })),
    );

    test.each(cases)('$name at request $skip', async ({ fault, times, skip }) => {
      env.service.options.omittedOnUpdate = omittedOnUpdate;
      const { update, read, id } = await env.open({ ...FILLED, doc: DOC });
      const before = read();
      const wanted = { ...before, note: 'new' };
      env.service.faults.add({ when: { pattern: /\/records\/\w+$/, skip }, times, fault });
      const outcome = await update({ note: 'new' }).then(
        () => undefined,
        (error: ApiError) => error,
      );
      const after = read();
      const isAs = (record: StoredRecord) => pickPlain(after) === pickPlain(record);
      // A success means that the record has the values of the item, and all of its others. Whatever was lost stands in the
      // error, and a service that keeps the other fields loses nothing.
      const isWhole = isAs(wanted) || (outcome !== undefined && isAs(before));
      const { before: reported } = { ...outcome?.details } as { before?: object };
      expect(isWhole || omittedOnUpdate === 'blank').toBe(true);
      expect(isWhole || isMatch(reported ?? {}, { id, title: 'Lamp', code: 'C-1' })).toBe(true);
      env.service.faults.clear();
      if (omittedOnUpdate === 'keep') return;
      // The next update loses nothing that the one before has left.
      const left = pickPlain(after);
      await update({ number_1: 99 }).catch(() => undefined);
      const last = read();
      expect([left, pickPlain({ ...after, number_1: 99 })]).toContain(pickPlain(last));
    });
  },
);

describe('a user who does not see all of a record', () => {
  test('what the user sees is restored, and a list that was kept is not sent', async () => {
    const login = { userLogin: 'password', ...env.service.user };
    const settings = env.createApplication(login);
    const { update, read, table, id } = await env.open(FILLED, settings);
    const before = read();
    // The user does not see the column Code.
    const item = { ...omit(before, 'code'), id };
    const hide = (nth: number, shown: object) =>
      env.service.faults.add({
        when: { ...READ, nth },
        fault: { type: 'status', status: 200, body: { type: 'success', item: shown } },
      });
    hide(1, item);
    hide(1, { ...item, note: 'new' });
    expect(await update({ note: 'new' })).toMatchObject({ action: 'updated' });
    expect(read()).toMatchObject({ note: 'new', code: 'C-1' });
    expect(table.records.size).toBe(1);
  });
});
