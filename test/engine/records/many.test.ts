import { skipWaits } from '../../environment/skipWaits';
import { scaleRuns, scaleSize } from '../../randomness';
import { READINGS } from '../../service/readings';
import { AUTO_MAP, getOutput, TestEnvironment, toColumns } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

skipWaits();
const env = useTestEnvironment();

const matchOn = (...names: string[]) => ({ ...AUTO_MAP, matchingColumns: names });

describe('create or update', () => {
  test('many items, half of them existing, in at most 1.03 requests each and 20 more', async () => {
    const count = 2 * scaleRuns(1_000);
    const customers = env.getTable('Customers');
    const known = Array.from({ length: count / 2 }, (_, i) =>
      customers.insert({ email: `upsert${i}@example.com`, company: 'Before' }),
    );
    const input = Array.from({ length: count }, (_, i) => ({
      email: `upsert${i}@example.com`,
      company: `After ${i}`,
    }));
    const before = env.service.requests.length;
    const found = getOutput(
      await env.runRecordOperation('upsert', customers, { columns: matchOn('email') }, input),
    );
    // A slow machine reads records again whose values are older than two seconds.
    const isReadAgain = (pattern: string) => /^GET .*\{recordId\}$/.test(pattern);
    expect(env.listRequests(before).filter((one) => !isReadAgain(one)).length).toBeLessThanOrEqual(
      1.03 * count + 20,
    );
    expect(found.map(({ company }) => company)).toEqual(input.map(({ company }) => company));
    expect(found.slice(0, count / 2).map(({ id, _action }) => [id, _action])).toEqual(
      known.map(({ id }) => [id, 'updated']),
    );
    expect(found.slice(count / 2).every(({ _action }) => _action === 'created')).toBe(true);
    const emails = [...customers.records.values()]
      .map(({ email }) => email)
      .filter((one) => String(one).startsWith('upsert'));
    expect(new Set(emails).size).toBe(emails.length);
    expect(emails).toHaveLength(count);
  });

  test('items of which each hundredth changed need its update, and one request for 50 keys', async () => {
    const customers = env.getTable('Customers');
    const count = scaleSize(100, 1000);
    const changed = count / 100;
    const row = (i: number, company: string) => ({ email: `steady${i}@example.com`, company });
    for (let i = 0; i < count; i++) customers.insert(row(i, 'Before'));
    const input = Array.from({ length: count }, (_, i) => row(i, i % 100 === 0 ? 'After' : 'Before'));
    const before = env.service.requests.length;
    const found = getOutput(
      await env.runRecordOperation('upsert', customers, { columns: matchOn('email') }, input),
    );
    expect(env.service.requests.length - before).toBeLessThanOrEqual(count / 50 + changed + 6);
    expect(found.filter(({ _action }) => _action === 'updated')).toHaveLength(changed);
    expect(found.filter(({ _action }) => _action === 'unchanged')).toHaveLength(count - changed);
  });

  test('duplicate keys in the input become one record with the values of the later item', async () => {
    const products = env.getTable('Products');
    const slug = products.fields[0]!.slug;
    const input = Array.from({ length: 15 }, (_, i) => ({ [slug]: `Twin ${i % 3}`, ...createPrice(i) }));
    const found = getOutput(
      await env.runRecordOperation('upsert', products, { columns: matchOn(slug) }, input),
    );
    expect(found.filter(({ _action }) => _action === 'created')).toHaveLength(3);
    const twins = [...products.records.values()].filter((one) => String(one[slug]).startsWith('Twin'));
    expect(twins.map((one) => one[getPriceSlug()])).toEqual([12, 13, 14]);
  });

  const getPriceSlug = () =>
    env.getTable('Products').fields.find(({ type }) => /Currency|Number/.test(type))!.slug;
  const createPrice = (amount: number) => ({ [getPriceSlug()]: amount });

  test('several matches: an error, the first, or all', async () => {
    const customers = env.getTable('Customers');
    const ids = [1, 2, 3].map((n) => customers.insert({ company: 'Same', phone: `+1 555 ${n}000` }).id);
    const run = (onSeveral?: string) =>
      env.runRecordOperation('upsert', customers, {
        columns: toColumns({ company: 'Same', notes: String(onSeveral) }, ['company']),
        options: { ...(onSeveral && { onSeveral }) },
      });
    expect((await run()).error?.message).toMatch(/^3 records match/);
    expect(getOutput(await run('first')).map(({ id }) => id)).toEqual(ids.slice(0, 1));
    expect(getOutput(await run('all')).map(({ id }) => id)).toEqual(ids);
  });

  test('matches 0, a part of a name, and several columns together', async () => {
    const showcase = env.getTable('Showcase');
    const target = showcase.insert({ number: 0, text: 'zero', name: { first_name: 'Zed' } });
    const [updated] = getOutput(
      await env.runRecordOperation('upsert', showcase, {
        columns: toColumns({ number: 0, text: 'zero', 'name[first_name]': 'Zed', phone: '+1 555 9000' }, [
          'number',
          'text',
          'name[first_name]',
        ]),
      }),
    );
    expect(updated).toMatchObject({ id: target.id, phone: '+1 555 9000', _action: 'updated' });
  });

  test('matches a part of a composite if the input contains the whole field', async () => {
    const showcase = env.getTable('Showcase');
    const { id } = showcase.insert({ text: 'whole', name: { first_name: 'Wholly' } });
    const input = [{ name: { first: 'Wholly', last_name: 'Known' } }];
    const [updated] = getOutput(
      await env.runRecordOperation('upsert', showcase, { columns: matchOn('name[first_name]') }, input),
    );
    expect(updated).toMatchObject({ id, _action: 'updated' });
    expect(showcase.records.get(id)!.name).toMatchObject({ first_name: 'Wholly', last_name: 'Known' });
  });

  test('a create whose answer was lost is found by its key, and later items update its record', async () => {
    const customers = env.getTable('Customers');
    env.service.faults.add({
      when: { method: 'POST', pattern: 'POST /api/v1/data-tables/{dataTableId}/records', nth: 2 },
      fault: { type: 'reset', when: 'after' },
    });
    const input = [1, 2, 3].map((n) => ({ company: 'Lost', email: `lost${n}@example.com` }));
    const run = await env.runRecordOperation('upsert', customers, { columns: matchOn('company') }, input, {
      onError: 'continueErrorOutput',
    });
    expect(run.getJson('Node', 1)).toEqual([]);
    expect(run.getJson('Node', 0).map(({ _action }) => _action)).toEqual(['created', 'updated', 'updated']);
    const lost = [...customers.records.values()].filter(({ company }) => company === 'Lost');
    expect(lost.map(({ email }) => email)).toEqual(['lost3@example.com']);
  });

  test('an item with a file is written before a later item with the same key', async () => {
    const showcase = env.getTable('Showcase');
    const file = { data: { data: Buffer.alloc(5_000_000, 'x').toString('base64'), mimeType: 'text/plain' } };
    const input = [
      { json: { unique_text: 'line', text: 'first' }, binary: file },
      { json: { unique_text: 'line', text: 'second' } },
    ];
    const values = { unique_text: '={{ $json.unique_text }}', text: '={{ $json.text }}' };
    const found = getOutput(
      await env.runRecordOperation(
        'upsert',
        showcase,
        { columns: toColumns({ ...values, file: '={{ $itemIndex ? "" : "data" }}' }, ['unique_text']) },
        input,
      ),
    );
    expect(found.map(({ _action }) => _action)).toEqual(['created', 'updated']);
    expect(showcase.records.get(String(found[0]!.id))).toMatchObject({ text: 'second' });
  });

  test('a match column without a value fails only its own item', async () => {
    const customers = env.getTable('Customers');
    const input = [{ email: 'solo@example.com' }, { company: 'No mail' }];
    const run = await env.runRecordOperation('upsert', customers, { columns: matchOn('email') }, input, {
      onError: 'continueErrorOutput',
    });
    expect(run.getJson('Node', 0)).toHaveLength(1);
    expect(JSON.stringify(run.getJson('Node', 1))).toContain('has no value');
  });
});

/** Returns the given records for the next look-ups. */
const answerLookUp = (items: object[], status = 200, times = 1) =>
  env.service.faults.add({
    times,
    when: { pattern: /records$/ },
    fault: {
      type: 'status',
      status,
      body:
        status === 200 ? { type: 'success', items, total_items: items.length } : { type: 'error', msg: 'No' },
    },
  });

describe('create or update with an unexpected look-up response', () => {
  const upsertProduct = (input: object[], column = 'sku') =>
    env.runRecordOperation('upsert', env.getTable('Products'), { columns: matchOn(column) }, input, {
      onError: 'continueErrorOutput',
    });
  const countProducts = () => env.getTable('Products').records.size;

  test('creates nothing if the match column of the found record cannot be compared', async () => {
    const before = countProducts();
    const { id } = [...env.getTable('Products').records.values()][0]!;
    answerLookUp([{ id, sku: 'ODD-1', price: '$12.50' }], 200, 2);
    const run = await upsertProduct([{ price: 12.5, name: 'Twelve' }], 'price');
    expect(JSON.stringify(run.getJson('Node', 1))).toContain('It is not clear whether a record has [12.5]');
    expect(countProducts()).toBe(before);
  });

  test('a found record that cannot be compared fails only its own item', async () => {
    const { id } = [...env.getTable('Products').records.values()][0]!;
    // The first response is for the look-up of both items, the second for that of the first item.
    answerLookUp([{ id, sku: 'ODD-2', price: '$13.50' }], 200, 2);
    const run = await upsertProduct(
      [{ price: 13.5 }, { price: 98_765, sku: 'CLEAR-1', name: 'Clear' }],
      'price',
    );
    expect(JSON.stringify(run.getJson('Node', 1))).toContain('It is not clear whether a record has [13.5]');
    expect(run.getJson('Node', 0)).toMatchObject([{ sku: 'CLEAR-1', _action: 'created' }]);
  });

  test('matches a choice that the service returns with its label', async () => {
    const product = env.getTable('Products').insert({ sku: 'CHOICE-1', category: 'office' });
    answerLookUp([{ ...product, category: 'Office' }]);
    const [updated] = getOutput(await upsertProduct([{ category: 'Office', name: 'Chosen' }], 'category'));
    expect(updated).toMatchObject({ id: product.id, _action: 'updated', name: 'Chosen' });
  });

  test('a refused match value does not fail other items of the same look-up', async () => {
    answerLookUp([], 422);
    const found = getOutput(
      await upsertProduct([1, 2, 3].map((n) => ({ sku: `TOGETHER-${n}`, name: 'New' }))),
    );
    expect(found.map(({ _action }) => _action)).toEqual(['created', 'created', 'created']);
  });

  test('updates a record that another client creates after the look-up', async () => {
    const { id } = env.getTable('Products').insert({ sku: 'FASTER-1', name: 'Theirs' });
    answerLookUp([]);
    const [updated] = getOutput(await upsertProduct([{ sku: 'FASTER-1', name: 'Ours' }]));
    expect(updated).toMatchObject({ id, _action: 'updated', name: 'Ours' });
  });
});

describe('batch update refuses requests that the service would misinterpret', () => {
  const createBatch = (values: object) => ({
    conditions: { items: [{ field: 'company|text', operator: 'is', value: 'Batch Works' }] },
    columns: toColumns(values),
    maximum: 50,
  });

  test('refuses a part of a field, because the service has no notation for it', async () => {
    const customers = env.getTable('Customers');
    const before = env.service.requests.length;
    const parameters = createBatch({ 'name[last_name]': 'Byron' });
    const run = await env.runRecordOperation('batchUpdate', customers, parameters);
    expect(run.error?.message).toBe('"Name: Last" cannot be set for many records at once');
    expect(env.listRequests(before).filter((one) => one.startsWith('POST'))).toEqual([]);
  });

  test('reads the fields again, because the service ignores a condition on a renamed field', async () => {
    const customers = env.getTable('Customers');
    const read = async () => {
      const before = env.service.requests.length;
      getOutput(await env.runRecordOperation('batchUpdate', customers, createBatch({ notes: 'batch' })));
      return env.listRequests(before).filter((one) => one.includes('full-fields-info')).length;
    };
    await read();
    expect(await read()).toBe(1);
  });
});

describe('batch update', () => {
  const conditions = {
    conditions: { items: [{ field: 'company|text', operator: 'is', value: 'Batch' }] },
  };

  // Two groups would be joined in another way by each reading, so their conditions are sent as one.
  test.each(READINGS.batchGroups.values)(
    'conditions in a group must all be met (groups: %s)',
    async (batchGroups) => {
      const customers = env.getTable('Customers');
      const [wanted, other] = ['a', 'b'].map(
        (city) => customers.insert({ company: 'Grouped', notes: city }).id,
      );
      env.service.options.batchGroups = batchGroups;
      const update = (groups: object[]) =>
        env.runRecordOperation('batchUpdate', customers, {
          filterMode: 'json',
          filterJson: JSON.stringify({ and: groups }),
          columns: toColumns({ notes: 'done' }),
        });
      const [first, second] = [{ and: [{ company: 'Grouped' }, { notes: 'a' }] }, { and: [{ notes: 'b' }] }];
      expect(getOutput(await update([first]))).toMatchObject([{ total: 1 }]);
      await update([first, second]);
      env.service.options.batchGroups = 'all';
      expect([wanted, other].map((id) => customers.records.get(id!)!.notes)).toEqual(['done', 'b']);
    },
  );

  test('a dry run counts the records, and the update changes all of them in one request', async () => {
    const customers = env.getTable('Customers');
    const ids = Array.from({ length: 30 }, () => customers.insert({ company: 'Batch' }).id);
    const before = env.service.requests.length;
    const values = { columns: toColumns({ notes: 'done', newsletter: 'true' }) };
    const dry = getOutput(
      await env.runRecordOperation('batchUpdate', customers, {
        ...conditions,
        ...values,
        options: { dryRun: true },
      }),
    );
    expect(dry).toEqual([{ dryRun: true, total: 30 }]);
    expect(customers.records.get(ids[0]!)!.notes).not.toBe('done');
    const [done] = getOutput(
      await env.runRecordOperation('batchUpdate', customers, { ...conditions, ...values }),
    );
    expect(done).toMatchObject({ total: 30 });
    expect(
      ids.every(
        (id) => customers.records.get(id)!.notes === 'done' && customers.records.get(id)!.newsletter === 1,
      ),
    ).toBe(true);
    const checks = env.service.requests
      .slice(before)
      .filter(({ pattern }) => pattern?.endsWith('batch-update-check'));
    expect(checks.map(({ method, body }) => [method, body])).toEqual(
      [1, 2].map(() => [
        'GET',
        { filters: { items: [{ field_id: 'company', condition: '=', value: 'Batch' }] } },
      ]),
    );
  });

  test('returns the records with their old values, with which Undo sets them back', async () => {
    const showcase = env.getTable('Showcase');
    const inserted = Array.from({ length: 210 }, (_, number) =>
      showcase.insert({ text: 'before', phone: '+1 555 7007', number, name: { first_name: `N${number}` } }),
    );
    const before = structuredClone([...showcase.records.values()]);
    const parameters = {
      conditions: { items: [{ field: 'phone|text', operator: 'is', value: '+1 555 7007' }] },
      columns: toColumns({ text: 'after', number: 0 }),
      maximum: 1000,
      options: { returnOldRecords: true },
    };
    const start = env.service.requests.length;
    const items = getOutput(await env.runRecordOperation('batchUpdate', showcase, parameters));
    const searches = env.listRequests(start).filter((pattern) => pattern.includes('_zmode=search'));
    expect(searches).toHaveLength(2);
    expect(items.map(({ id, number, _before }) => [id, number, _before])).toEqual(
      // The first record had the number already.
      inserted.map(({ id }, number) => [id, 0, { text: 'before', ...(number > 0 && { number }) }]),
    );
    expect(showcase.records.get(inserted[1]!.id)).toMatchObject({ text: 'after', number: 0 });

    const undone = items.slice(0, scaleSize(40, 210));
    getOutput(await env.runRecordOperation('undo', showcase, { dryRun: false }, undone));
    const left = items.slice(undone.length).map(({ id }) => id);
    const isUndone = ({ id }: { id: string }) => !left.includes(id);
    expect([...showcase.records.values()].filter(isUndone)).toEqual(before.filter(isUndone));
  });

  describe('when every answer to the update is lost', () => {
    const UNCLEAR = 'Batch Unclear';
    const updateUnclear = (extra: object, options: object = { returnOldRecords: true }) => {
      env.service.faults.add({
        when: { method: 'POST', pattern: /batch-update$/ },
        times: 9,
        fault: { type: 'reset', when: 'after' },
      });
      const conditions = [{ field: 'company|text', operator: 'is', value: UNCLEAR }];
      const parameters = {
        conditions: { items: conditions },
        columns: toColumns({ notes: 'changed' }),
        options,
      };
      return env.runRecordOperation('batchUpdate', env.getTable('Customers'), parameters, undefined, extra);
    };
    const insertUnclear = () => {
      const { records } = env.getTable('Customers');
      for (const record of records.values()) if (record.company === UNCLEAR) records.delete(record.id);
      return [1, 2].map((n) =>
        env
          .getTable('Customers')
          .insert({ company: UNCLEAR, email: `unclear${n}@example.com`, notes: `before ${n}` }),
      );
    };
    afterEach(() => env.service.faults.clear());

    test('the error item has the records, with which Undo undoes it', async () => {
      const customers = env.getTable('Customers');
      const inserted = insertUnclear();
      const run = await updateUnclear({ onError: 'continueErrorOutput' });
      expect(run.getJson('Node', 0)).toEqual([]);
      const [failure] = run.getJson('Node', 1);
      expect(failure!.message).toMatch(/^The service may have done this.* This error holds 2 records/);
      const { oldRecords } = failure!.details as { oldRecords: object[] };
      expect(oldRecords).toMatchObject(inserted.map(({ id, notes }) => ({ id, _before: { notes } })));
      expect(inserted.map(({ id }) => customers.records.get(id)!.notes)).toEqual(['changed', 'changed']);
      env.service.faults.clear();
      getOutput(await env.runRecordOperation('undo', customers, { dryRun: false }, oldRecords));
      expect(inserted.map(({ id }) => customers.records.get(id)!.notes)).toEqual(['before 1', 'before 2']);
    });

    test('the error of the execution has them too', async () => {
      const [first] = insertUnclear();
      const { error } = await updateUnclear({});
      expect(error).toMatchObject({
        description: expect.stringContaining(`(${first!.id}, `) as string,
        context: { data: { oldRecords: [{ id: first!.id, _before: { notes: 'before 1' } }, {}] } },
      });
    });

    test('an update that the service refuses has none', async () => {
      insertUnclear();
      env.service.faults.add({
        when: { method: 'POST', pattern: /batch-update$/ },
        fault: { type: 'status', status: 422, body: { type: 'error', msg: 'Rule', status: 422 } },
      });
      const [failure] = (await updateUnclear({ onError: 'continueRegularOutput' })).getJson('Node');
      expect(failure).toHaveProperty('error');
      expect(failure).not.toHaveProperty('details');
    });
  });

  test('changes nothing when the old records cannot be read completely', async () => {
    const customers = env.getTable('Customers');
    const { id } = customers.insert({ company: 'Batch Hidden' });
    const body = { type: 'success', items: [], total_items: 0 };
    env.service.faults.add({
      when: { pattern: /_zmode=search/ },
      fault: { type: 'status', status: 200, body },
    });
    const run = await env.runRecordOperation('batchUpdate', customers, {
      conditions: { items: [{ field: 'company|text', operator: 'is', value: 'Batch Hidden' }] },
      columns: toColumns({ notes: 'changed' }),
      options: { returnOldRecords: true },
    });
    expect(run.error?.message).toBe('Batch Update would change 1 records, and 0 meet the conditions');
    expect(customers.records.get(id)!.notes).not.toBe('changed');
  });

  test.each([
    [
      { 'name[first_name]': 'Ada' },
      '"Name: First" cannot be set for many records at once',
      'Nothing was sent: the batch update of the service takes no files and no parts of a field. Use Update for each record.',
    ],
    [
      { file: 'data' },
      '"File" cannot be set for many records at once',
      'Nothing was sent: the batch update of the service takes no files and no parts of a field. Use Update for each record.',
    ],
    [
      {},
      'Nothing to change: no field has a value',
      'Nothing was sent. Give at least one field a value. An expression may have returned nothing.',
    ],
  ])('refuses %j', async (values, message, description) => {
    const showcase = env.getTable('Showcase');
    const conditions = [{ field: 'phone|text', operator: 'is not blank' }];
    const parameters = {
      conditions: { items: conditions },
      columns: toColumns(values),
      maximum: 1000,
    };
    const before = env.service.requests.length;
    const input = [
      { json: {}, binary: { data: { data: 'eA==', mimeType: 'text/plain', fileName: 'x.txt' } } },
    ];
    const { error } = await env.runRecordOperation('batchUpdate', showcase, parameters, input);
    expect(error).toMatchObject({ message, description });
    expect(env.listRequests(before).filter((pattern) => pattern.includes('batch'))).toEqual([]);
  });

  test('refuses an empty list, an unknown field, and more records than the maximum', async () => {
    const customers = env.getTable('Customers');
    const values = { columns: toColumns({ notes: 'never' }) };
    const run = (parameters: object) =>
      env.runRecordOperation('batchUpdate', customers, { ...values, ...parameters });
    expect((await run({})).error?.message).toMatch(/no condition/);
    const unknown = {
      conditions: { items: [{ field: 'compony', operator: 'is', value: 'x' }] },
    };
    expect((await run(unknown)).error?.message).toMatch(/no field "compony"/);
    expect((await run({ ...conditions, maximum: 5 })).error?.message).toMatch(/matches 30 records/);
    for (const maximum of ['={{ $json.nosuch }}', '={{ "abc" }}', '={{ 0 }}', '={{ NaN }}']) {
      expect((await run({ ...conditions, maximum })).error?.message).toMatch(/^Maximum Records cannot be /);
    }
    expect([...customers.records.values()].some(({ notes }) => notes === 'never')).toBe(false);
  });
});

test('without Continue On Fail, no item after a refused item is written', async () => {
  const customers = env.getTable('Customers');
  const { id } = customers.insert({ company: 'Kept' });
  const input = ['', 'second', 'third'].map((company) => ({ company }));
  const values = { company: '={{ $json.company || undefined }}' };
  const refused = await env.runRecordOperation(
    'update',
    customers,
    { recordId: id, columns: toColumns(values) },
    input,
  );
  expect(refused.error?.message).toMatch(/^Item 1 of 3: Nothing to update/);
  expect(customers.records.get(id)!.company).toBe('Kept');
  const going = { onError: 'continueErrorOutput' } as const;
  await env.runRecordOperation(
    'update',
    customers,
    { recordId: id, columns: toColumns(values) },
    input,
    going,
  );
  expect(customers.records.get(id)!.company).toBe('third');
});

test('an error before an item is queued also ends the run', async () => {
  const products = env.getTable('Products');
  const ids = Array.from({ length: 30 }, () => products.insert({ name: 'Doomed' }).id);
  const recordId = "={{ $itemIndex === 0 ? $('Nope').item.json.id : $json.id }}";
  const run = await env.runRecordOperation(
    'delete',
    products,
    { recordId },
    ids.map((id) => ({ id })),
  );
  expect(run.error?.message).toBe("Item 1 of 30: Referenced node doesn't exist");
  // Only items that were already running: at most the number of parallel requests.
  expect(ids.filter((id) => !products.records.has(id)).length).toBeLessThanOrEqual(8);
});

test('changes nothing if Dry Run is an expression without a value or the list to compare with is empty', async () => {
  const products = env.getTable('Products');
  const { id } = products.insert({ name: 'Untouched', description: 'before' });
  const run = (condition: object, options: object = {}) =>
    env.runRecordOperation('batchUpdate', products, {
      conditions: { items: [condition] },
      columns: toColumns({ description: 'after' }),
      maximum: 10_000,
      options,
    });
  const named = { field: 'name', operator: 'is', value: 'Untouched' };
  expect((await run(named, { dryRun: '={{ $json.no }}' })).error?.message).toBe(
    'Dry Run cannot be undefined',
  );
  const empty = { field: 'name', operator: 'contains', value: '={{ [] }}' };
  expect((await run(empty)).error?.message).toBe('Filter: "Name" needs a value for the operator "contains"');
  expect(products.records.get(id)!.description).toBe('before');
  expect(getOutput(await run(named, { dryRun: '={{ "false" }}' }))[0]).toMatchObject({ total: 1 });
  expect(products.records.get(id)!.description).toBe('after');
});

describe('dedupe field', () => {
  const getUniqueSlug = () => env.getTable('Orders').fields.find((field) => field.unique)!.slug;

  test('a unique date finds only the record with that date', async () => {
    for (const brokenFilter of ['dropped', 'matchesNothing'] as const) {
      const other = await TestEnvironment.start({ brokenFilter });
      const invoices = other.getTable('Invoices');
      const due = invoices.fields.find(({ slug }) => slug === 'due_on')!;
      Object.assign(due, { unique: true });
      const taken = invoices.insert({ due_on: '2031-01-01' });
      const given = { columns: toColumns({ due_on: '2031-01-01' }), options: { dedupeField: 'due_on' } };
      expect(getOutput(await other.runRecordOperation('create', invoices, given))[0]).toMatchObject({
        id: taken.id,
      });
      expect(other.takeViolations()).toEqual([]);
      await other.stop();
    }
  });

  test('creates exactly once under resets, errors and stalls', async () => {
    const orders = env.getTable('Orders');
    const count = scaleSize(70, 400);
    const input = Array.from({ length: count }, (_, i) => ({ [getUniqueSlug()]: `ONCE-${i}` }));
    const rule = { method: 'POST', pattern: 'POST /api/v1/data-tables/{dataTableId}/records' };
    const remove = [
      env.service.faults.add({
        when: rule,
        times: Infinity,
        probability: 0.05,
        fault: { type: 'reset', when: 'after' },
      }),
      env.service.faults.add({
        when: rule,
        times: Infinity,
        probability: 0.05,
        fault: { type: 'reset', when: 'before' },
      }),
      env.service.faults.add({
        when: rule,
        times: Infinity,
        probability: 0.02,
        fault: { type: 'status', status: 500 },
      }),
    ];
    const run = await env.runRecordOperation(
      'create',
      orders,
      { columns: AUTO_MAP, options: { dedupeField: getUniqueSlug() } },
      input,
    );
    remove.forEach((one) => one());
    expect(getOutput(run)).toHaveLength(count);
    const made = [...orders.records.values()].filter((one) =>
      String(one[getUniqueSlug()]).startsWith('ONCE-'),
    );
    expect(made).toHaveLength(count);
  });

  test.each([
    ['looks again when the look fails as well', { type: 'reset', when: 'before' }, 4, /^LOOK-reset$/],
    ['stays unknown when no look is allowed', { type: 'status', status: 403 }, Infinity, /^Outcome unknown/],
  ] as const)('after a lost answer it %s, and creates nothing twice', async (_, fault, times, outcome) => {
    const orders = env.getTable('Orders');
    const key = `LOOK-${fault.type}`;
    const pattern = /records$/;
    const remove = [
      env.service.faults.add({ when: { method: 'POST', pattern }, fault: { type: 'reset', when: 'after' } }),
      // The first look-up, before the create, has no fault.
      env.service.faults.add({ when: { method: 'GET', pattern, skip: 1 }, times, fault }),
    ];
    const parameters = {
      columns: toColumns({ [getUniqueSlug()]: key }),
      options: { dedupeField: getUniqueSlug() },
    };
    const run = await env.runRecordOperation('create', orders, parameters);
    remove.forEach((one) => one());
    expect(run.error?.message ?? getOutput(run)[0]![getUniqueSlug()]).toMatch(outcome);
    expect([...orders.records.values()].filter((one) => one[getUniqueSlug()] === key)).toHaveLength(1);
  });

  test('without a Dedupe Field, an unknown outcome is reported and the create is not repeated', async () => {
    const orders = env.getTable('Orders');
    const before = env.service.requests.length;
    const remove = env.service.faults.add({
      when: { method: 'POST' },
      fault: { type: 'reset', when: 'after' },
    });
    const run = await env.runRecordOperation('create', orders, {
      columns: toColumns({ [getUniqueSlug()]: 'LOST-1' }),
    });
    remove();
    expect(run.error?.message).toMatch(/^Outcome unknown/);
    expect(env.listRequests(before).filter((one) => one.startsWith('POST'))).toHaveLength(1);
  });

  test('a second run returns the existing record; a field that is not unique is refused', async () => {
    const orders = env.getTable('Orders');
    const again = {
      columns: toColumns({ [getUniqueSlug()]: 'ONCE-1' }),
      options: { dedupeField: getUniqueSlug() },
    };
    const size = orders.records.size;
    expect(getOutput(await env.runRecordOperation('create', orders, again))[0]).toMatchObject({
      [getUniqueSlug()]: 'ONCE-1',
    });
    expect(orders.records.size).toBe(size);
    const none = { ...again, options: { dedupeField: '={{ $json.nothing }}' } };
    expect((await env.runRecordOperation('create', orders, none)).error?.message).toBe(
      'Dedupe Field: the expression has found nothing',
    );
    const other = { columns: toColumns({ company: 'x' }), options: { dedupeField: 'company' } };
    expect((await env.runRecordOperation('create', env.getTable('Customers'), other)).error?.message).toMatch(
      /not unique/,
    );
  });
});
