import { AUTO_MAP, columns, outputOf, World } from './support';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());
afterEach(() => expect(world.violations()).toEqual([]));

const matchOn = (...names: string[]) => ({ ...AUTO_MAP, matchingColumns: names });

describe('create or update', () => {
  test('1,000 items, half of them existing, in at most 1,050 requests', async () => {
    const customers = world.table('Customers');
    const known = Array.from({ length: 500 }, (_, i) =>
      customers.insert({ email: `upsert${i}@example.com`, company: 'Before' }),
    );
    const input = Array.from({ length: 1000 }, (_, i) => ({
      email: `upsert${i}@example.com`,
      company: `After ${i}`,
    }));
    const before = world.service.requests.length;
    const found = outputOf(await world.records('upsert', customers, { columns: matchOn('email') }, input));
    expect(world.service.requests.length - before).toBeLessThanOrEqual(1050);
    expect(found.map(({ company }) => company)).toEqual(input.map(({ company }) => company));
    expect(found.slice(0, 500).map(({ id, _action }) => [id, _action])).toEqual(
      known.map(({ id }) => [id, 'updated']),
    );
    expect(found.slice(500).every(({ _action }) => _action === 'created')).toBe(true);
    const emails = [...customers.records.values()]
      .map(({ email }) => email)
      .filter((one) => String(one).startsWith('upsert'));
    expect(new Set(emails).size).toBe(emails.length);
    expect(emails).toHaveLength(1000);
  });

  test('duplicates inside the input become one record, the later item wins', async () => {
    const products = world.table('Products');
    const slug = products.fields[0]!.slug;
    const input = Array.from({ length: 60 }, (_, i) => ({ [slug]: `Twin ${i % 3}`, ...priceOf(i) }));
    const found = outputOf(await world.records('upsert', products, { columns: matchOn(slug) }, input));
    expect(found.filter(({ _action }) => _action === 'created')).toHaveLength(3);
    const twins = [...products.records.values()].filter((one) => String(one[slug]).startsWith('Twin'));
    expect(twins.map((one) => one[priceSlug()])).toEqual([57, 58, 59]);
  });

  const priceSlug = () =>
    world.table('Products').fields.find(({ type }) => /Currency|Number/.test(type))!.slug;
  const priceOf = (amount: number) => ({ [priceSlug()]: amount });

  test('several matches: an error, the first, or all', async () => {
    const customers = world.table('Customers');
    const ids = [1, 2, 3].map((n) => customers.insert({ company: 'Same', phone: `+1 555 ${n}000` }).id);
    const run = (onSeveral?: string) =>
      world.records('upsert', customers, {
        columns: columns({ company: 'Same', notes: String(onSeveral) }, ['company']),
        options: { ...(onSeveral && { onSeveral }) },
      });
    expect((await run()).error?.message).toMatch(/^3 records match/);
    expect(outputOf(await run('first')).map(({ id }) => id)).toEqual(ids.slice(0, 1));
    expect(outputOf(await run('all')).map(({ id }) => id)).toEqual(ids);
  });

  test('matches 0, a part of a name, and several columns together', async () => {
    const showcase = world.table('Showcase');
    const target = showcase.insert({ number: 0, text: 'zero', name: { first_name: 'Zed' } });
    const [updated] = outputOf(
      await world.records('upsert', showcase, {
        columns: columns({ number: 0, text: 'zero', 'name[first_name]': 'Zed', phone: '+1 555 9000' }, [
          'number',
          'text',
          'name[first_name]',
        ]),
      }),
    );
    expect(updated).toMatchObject({ id: target.id, phone: '+1 555 9000', _action: 'updated' });
  });

  test('a part is matched where the input has its field whole', async () => {
    const showcase = world.table('Showcase');
    const { id } = showcase.insert({ text: 'whole', name: { first_name: 'Wholly' } });
    const input = [{ name: { first: 'Wholly', last_name: 'Known' } }];
    const [updated] = outputOf(
      await world.records('upsert', showcase, { columns: matchOn('name[first_name]') }, input),
    );
    expect(updated).toMatchObject({ id, _action: 'updated' });
    expect(showcase.records.get(id)!.name).toMatchObject({ first_name: 'Wholly', last_name: 'Known' });
  });

  test('after a create whose answer was lost, the next item with its key looks again', async () => {
    const customers = world.table('Customers');
    world.service.faults.add({
      when: { method: 'POST', pattern: 'POST /api/v1/data-tables/{dataTableId}/records', nth: 2 },
      fault: { type: 'reset', when: 'after' },
    });
    const input = [1, 2, 3].map((n) => ({ company: 'Lost', email: `lost${n}@example.com` }));
    const run = await world.records('upsert', customers, { columns: matchOn('company') }, input, {
      onError: 'continueErrorOutput',
    });
    expect(JSON.stringify(run.jsonOf('Node', 1))).toContain('Outcome unknown');
    expect(run.jsonOf('Node', 0).map(({ _action }) => _action)).toEqual(['updated', 'updated']);
    const lost = [...customers.records.values()].filter(({ company }) => company === 'Lost');
    expect(lost.map(({ email }) => email)).toEqual(['lost3@example.com']);
  });

  test('an item that has a file to read is not overtaken by a later one with its key', async () => {
    const showcase = world.table('Showcase');
    const file = { data: { data: Buffer.alloc(5_000_000, 'x').toString('base64'), mimeType: 'text/plain' } };
    const input = [
      { json: { unique_text: 'line', text: 'first' }, binary: file },
      { json: { unique_text: 'line', text: 'second' } },
    ];
    const values = { unique_text: '={{ $json.unique_text }}', text: '={{ $json.text }}' };
    const found = outputOf(
      await world.records(
        'upsert',
        showcase,
        { columns: columns({ ...values, file: '={{ $itemIndex ? "" : "data" }}' }, ['unique_text']) },
        input,
      ),
    );
    expect(found.map(({ _action }) => _action)).toEqual(['created', 'updated']);
    expect(showcase.records.get(String(found[0]!.id))).toMatchObject({ text: 'second' });
  });

  test('a match column without a value fails that item alone', async () => {
    const customers = world.table('Customers');
    const input = [{ email: 'solo@example.com' }, { company: 'No mail' }];
    const run = await world.records('upsert', customers, { columns: matchOn('email') }, input, {
      onError: 'continueErrorOutput',
    });
    expect(run.jsonOf('Node', 0)).toHaveLength(1);
    expect(JSON.stringify(run.jsonOf('Node', 1))).toContain('has no value');
  });
});

/** Answers the next look-ups of records with these. */
const answerLookUp = (items: object[], status = 200, times = 1) =>
  world.service.faults.add({
    times,
    when: { method: 'POST', pattern: /records$/ },
    fault: {
      type: 'status',
      status,
      body:
        status === 200 ? { type: 'success', items, total_items: items.length } : { type: 'error', msg: 'No' },
    },
  });

describe('create or update, where the look-up brings something odd', () => {
  const toProduct = (input: object[], column = 'sku') =>
    world.records('upsert', world.table('Products'), { columns: matchOn(column) }, input, {
      onError: 'continueErrorOutput',
    });
  const size = () => world.table('Products').records.size;

  test('a record whose match column reads otherwise: nothing is created', async () => {
    const before = size();
    const { id } = [...world.table('Products').records.values()][0]!;
    answerLookUp([{ id, sku: 'ODD-1', price: '$12.50' }], 200, 2);
    const run = await toProduct([{ price: 12.5, name: 'Twelve' }], 'price');
    expect(JSON.stringify(run.jsonOf('Node', 1))).toContain('Whether a record matches [12.5] cannot be told');
    expect(size()).toBe(before);
  });

  test('what reads otherwise keeps no other item from its record', async () => {
    const { id } = [...world.table('Products').records.values()][0]!;
    // To the look-up of both items, and to that of the first alone.
    answerLookUp([{ id, sku: 'ODD-2', price: '$13.50' }], 200, 2);
    const run = await toProduct([{ price: 13.5 }, { price: 98_765, sku: 'CLEAR-1', name: 'Clear' }], 'price');
    expect(JSON.stringify(run.jsonOf('Node', 1))).toContain('[13.5] cannot be told');
    expect(run.jsonOf('Node', 0)).toMatchObject([{ sku: 'CLEAR-1', _action: 'created' }]);
  });

  test('a choice that is read with its label is the same choice', async () => {
    const product = world.table('Products').insert({ sku: 'CHOICE-1', category: 'office' });
    answerLookUp([{ ...product, category: { label: 'Office', value: 'office' } }]);
    const [updated] = outputOf(await toProduct([{ category: 'Office', name: 'Chosen' }], 'category'));
    expect(updated).toMatchObject({ id: product.id, _action: 'updated', name: 'Chosen' });
  });

  test('a value that the service refuses fails none of the others that were looked up with it', async () => {
    answerLookUp([], 422);
    const found = outputOf(await toProduct([1, 2, 3].map((n) => ({ sku: `TOGETHER-${n}`, name: 'New' }))));
    expect(found.map(({ _action }) => _action)).toEqual(['created', 'created', 'created']);
  });

  test('a record that somebody else makes meanwhile is updated', async () => {
    const { id } = world.table('Products').insert({ sku: 'FASTER-1', name: 'Theirs' });
    answerLookUp([]);
    const [updated] = outputOf(await toProduct([{ sku: 'FASTER-1', name: 'Ours' }]));
    expect(updated).toMatchObject({ id, _action: 'updated', name: 'Ours' });
  });
});

describe('batch update', () => {
  const conditions = {
    symbolicConditions: { items: [{ field: 'company|text', condition: 'equals', value: 'Batch' }] },
  };

  test('checks first, with the body on the wire, then changes all in one request', async () => {
    const customers = world.table('Customers');
    const ids = Array.from({ length: 30 }, () => customers.insert({ company: 'Batch' }).id);
    const before = world.service.requests.length;
    const values = { columns: columns({ notes: 'done', newsletter: true }) };
    const dry = outputOf(
      await world.records('batchUpdate', customers, { ...conditions, ...values, options: { dryRun: true } }),
    );
    expect(dry).toEqual([{ dryRun: true, total: 30 }]);
    expect(customers.records.get(ids[0]!)!.notes).not.toBe('done');
    const [done] = outputOf(await world.records('batchUpdate', customers, { ...conditions, ...values }));
    expect(done).toMatchObject({ total: 30 });
    expect(
      ids.every(
        (id) => customers.records.get(id)!.notes === 'done' && customers.records.get(id)!.newsletter === 1,
      ),
    ).toBe(true);
    const checks = world.service.requests
      .slice(before)
      .filter(({ pattern }) => pattern?.endsWith('batch-update-check'));
    expect(checks.map(({ method, body }) => [method, body])).toEqual(
      [1, 2].map(() => [
        'GET',
        { filters: { items: [{ field_id: 'company', condition: '=', value: 'Batch' }] } },
      ]),
    );
  });

  test('refuses an empty list, an unknown field, and more records than the maximum', async () => {
    const customers = world.table('Customers');
    const values = { columns: columns({ notes: 'never' }) };
    const run = (parameters: object) => world.records('batchUpdate', customers, { ...values, ...parameters });
    expect((await run({})).error?.message).toMatch(/no condition/);
    const unknown = {
      symbolicConditions: { items: [{ field: 'compony', condition: 'equals', value: 'x' }] },
    };
    expect((await run(unknown)).error?.message).toMatch(/no field "compony"/);
    expect((await run({ ...conditions, maximum: 5 })).error?.message).toMatch(/reach 30 records/);
    for (const maximum of ['={{ $json.nosuch }}', '={{ "abc" }}', '={{ 0 }}', '={{ NaN }}']) {
      expect((await run({ ...conditions, maximum })).error?.message).toMatch(/^Maximum cannot be /);
    }
    expect([...customers.records.values()].some(({ notes }) => notes === 'never')).toBe(false);
    expect(outputOf(await world.records('batchUpdateCheck', customers, conditions))[0]).toMatchObject({
      total: 30,
    });
  });
});

test('without Continue On Fail nothing behind a refused item is changed, in one line or another', async () => {
  const customers = world.table('Customers');
  const { id } = customers.insert({ company: 'Kept' });
  const input = ['', 'second', 'third'].map((company) => ({ company }));
  const values = { company: '={{ $json.company || undefined }}' };
  const refused = await world.records('update', customers, { recordId: id, columns: columns(values) }, input);
  expect(refused.error?.message).toMatch(/^Nothing to update/);
  expect(customers.records.get(id)!.company).toBe('Kept');
  const going = { onError: 'continueErrorOutput' } as const;
  await world.records('update', customers, { recordId: id, columns: columns(values) }, input, going);
  expect(customers.records.get(id)!.company).toBe('third');
});

test('a failure before an item takes its turn ends the run as well', async () => {
  const products = world.table('Products');
  const ids = Array.from({ length: 30 }, () => products.insert({ name: 'Doomed' }).id);
  const recordId = "={{ $itemIndex === 0 ? $('Nope').item.json.id : $json.id }}";
  const run = await world.records(
    'delete',
    products,
    { recordId },
    ids.map((id) => ({ id })),
  );
  expect(run.error?.message).toBe("Referenced node doesn't exist");
  // Those that were under way at once: no more than run side by side.
  expect(ids.filter((id) => !products.records.has(id)).length).toBeLessThanOrEqual(8);
});

test('a dry run that an expression does not find, and an empty list to compare with, change nothing', async () => {
  const products = world.table('Products');
  const { id } = products.insert({ name: 'Untouched', description: 'before' });
  const run = (condition: object, options: object = {}) =>
    world.records('batchUpdate', products, {
      symbolicConditions: { items: [condition] },
      columns: columns({ description: 'after' }),
      maximum: 10_000,
      options,
    });
  const named = { field: 'name', condition: 'equals', value: 'Untouched' };
  expect((await run(named, { dryRun: '={{ $json.no }}' })).error?.message).toBe(
    'Dry Run cannot be undefined',
  );
  const empty = { field: 'name', condition: 'contains', value: '={{ [] }}' };
  expect((await run(empty)).error?.message).toBe('Filter: "Name" contains has no value');
  expect(products.records.get(id)!.description).toBe('before');
  expect(outputOf(await run(named, { dryRun: '={{ "false" }}' }))[0]).toMatchObject({ total: 1 });
  expect(products.records.get(id)!.description).toBe('after');
});

describe('dedupe field', () => {
  const unique = () => world.table('Orders').fields.find((field) => field.unique)!.slug;

  test('a unique date finds its own record, not just any', async () => {
    for (const brokenFilter of ['dropped', 'matchesNothing'] as const) {
      const other = await World.start({ brokenFilter });
      const invoices = other.table('Invoices');
      const due = invoices.fields.find(({ slug }) => slug === 'due_on')!;
      Object.assign(due, { unique: true });
      const taken = invoices.insert({ due_on: '2031-01-01' });
      const given = { columns: columns({ due_on: '2031-01-01' }), options: { dedupeField: 'due_on' } };
      expect(outputOf(await other.records('create', invoices, given))[0]).toMatchObject({ id: taken.id });
      expect(other.violations()).toEqual([]);
      await other.stop();
    }
  });

  test('creates exactly once under resets, errors and stalls', async () => {
    const orders = world.table('Orders');
    const input = Array.from({ length: 400 }, (_, i) => ({ [unique()]: `ONCE-${i}` }));
    const rule = { method: 'POST', pattern: 'POST /api/v1/data-tables/{dataTableId}/records' };
    const remove = [
      world.service.faults.add({
        when: rule,
        times: Infinity,
        probability: 0.05,
        fault: { type: 'reset', when: 'after' },
      }),
      world.service.faults.add({
        when: rule,
        times: Infinity,
        probability: 0.05,
        fault: { type: 'reset', when: 'before' },
      }),
      world.service.faults.add({
        when: rule,
        times: Infinity,
        probability: 0.02,
        fault: { type: 'status', status: 500 },
      }),
    ];
    const run = await world.records(
      'create',
      orders,
      { columns: AUTO_MAP, options: { dedupeField: unique() } },
      input,
    );
    remove.forEach((one) => one());
    expect(outputOf(run)).toHaveLength(400);
    const made = [...orders.records.values()].filter((one) => String(one[unique()]).startsWith('ONCE-'));
    expect(made).toHaveLength(400);
  });

  test.each([
    ['looks again when the look fails as well', { type: 'reset', when: 'before' }, 4],
    ['stays unknown when no look is allowed', { type: 'status', status: 403 }, Infinity],
  ] as const)('after a lost answer it %s, and creates nothing twice', async (_, fault, times) => {
    const orders = world.table('Orders');
    const key = `LOOK-${fault.type}`;
    const when = { pattern: 'POST /api/v1/data-tables/{dataTableId}/records' };
    const remove = [
      world.service.faults.add({ when, fault: { type: 'reset', when: 'after' } }),
      world.service.faults.add({ when: { ...when, skip: 1 }, times, fault }),
    ];
    const parameters = { columns: columns({ [unique()]: key }), options: { dedupeField: unique() } };
    const run = await world.records('create', orders, parameters);
    remove.forEach((one) => one());
    if (times === Infinity) expect(run.error?.message).toMatch(/^Outcome unknown/);
    else expect(outputOf(run)[0]).toMatchObject({ [unique()]: key });
    expect([...orders.records.values()].filter((one) => one[unique()] === key)).toHaveLength(1);
  });

  test('without it an unclear outcome is said and never repeated', async () => {
    const orders = world.table('Orders');
    const before = world.service.requests.length;
    const remove = world.service.faults.add({
      when: { method: 'POST' },
      fault: { type: 'reset', when: 'after' },
    });
    const run = await world.records('create', orders, { columns: columns({ [unique()]: 'LOST-1' }) });
    remove();
    expect(run.error?.message).toMatch(/^Outcome unknown/);
    expect(world.seen(before).filter((one) => one.startsWith('POST'))).toHaveLength(1);
  });

  test('a second run returns what is there; a field that is not unique is refused', async () => {
    const orders = world.table('Orders');
    const again = { columns: columns({ [unique()]: 'ONCE-1' }), options: { dedupeField: unique() } };
    const size = orders.records.size;
    expect(outputOf(await world.records('create', orders, again))[0]).toMatchObject({ [unique()]: 'ONCE-1' });
    expect(orders.records.size).toBe(size);
    const none = { ...again, options: { dedupeField: '={{ $json.nothing }}' } };
    expect((await world.records('create', orders, none)).error?.message).toBe(
      'Dedupe Field: no field is chosen',
    );
    const other = { columns: columns({ company: 'x' }), options: { dedupeField: 'company' } };
    expect((await world.records('create', world.table('Customers'), other)).error?.message).toMatch(
      /not unique/,
    );
  });
});
