import { byId, outputOf, World } from './support';

let world: World;
beforeAll(async () => {
  world = await World.start({}, { timezone: 'Europe/Berlin' });
});
afterAll(() => world.stop());
afterEach(() => expect(world.violations()).toEqual([]));

/** A filter as the form saves it. */
const manual = (items: object[], more: object = {}) => ({
  filterMode: 'manual',
  conditions: { items },
  ...more,
});

describe('get many', () => {
  test.each([1, 50, 199, 200, 201, 400, 450])(
    'a limit of %i gives exactly as many, in order',
    async (limit) => {
      const orders = world.table('Orders');
      const found = outputOf(await world.records('getAll', orders, { returnAll: false, limit }));
      expect(found.map(({ id }) => id)).toEqual([...orders.records.keys()].slice(0, limit));
    },
  );

  test('return all reads every record once, 200 a page', async () => {
    const orders = world.table('Orders');
    const before = world.service.requests.length;
    const found = outputOf(await world.records('getAll', orders, { returnAll: true }));
    expect(found.map(({ id }) => id)).toEqual([...orders.records.keys()]);
    const pages = world.seen(before).filter((one) => one.endsWith('/records'));
    expect(pages).toHaveLength(Math.ceil(orders.records.size / 200));
  });

  test('sorts by several fields and returns only the chosen columns', async () => {
    const customers = world.table('Customers');
    const parameters = {
      returnAll: true,
      sort: {
        rules: [
          { field: 'status', direction: 'asc' },
          { field: 'credit_limit', direction: 'desc' },
        ],
      },
      options: { columns: ['status', 'credit_limit'] },
    };
    const found = outputOf(await world.records('getAll', customers, parameters));
    expect(Object.keys(found[0]!).sort()).toEqual(['created_at', 'credit_limit', 'id', 'status']);
    const pairs = found.map((one) => [String(one.status), Number(one.credit_limit)] as const);
    pairs.slice(1).forEach(([status, limit], i) => {
      const [earlier, more] = pairs[i]!;
      expect(earlier < status || (earlier === status && more >= limit)).toBe(true);
    });
  });

  test('display names, simplify and grouping shape the output; the total comes along', async () => {
    const customers = world.table('Customers');
    const names = outputOf(
      await world.records('getAll', customers, {
        limit: 1,
        options: { displayNames: true, includeTotal: true },
      }),
    );
    expect(names[0]).toMatchObject({ Company: expect.any(String), _total: customers.records.size });
    const simple = outputOf(
      await world.records('getAll', customers, { limit: 1, options: { simplify: true } }),
    );
    expect(simple[0]!.name).toMatch(/^\w+ \w+$/);
    expect(Object.keys(simple[0]!).some((key) => key.endsWith('_val'))).toBe(false);
    const flat = await World.start({ compositeReads: 'parts' });
    const grouped = outputOf(
      await flat.records('getAll', flat.table('Customers'), { limit: 1, options: { group: true } }),
    );
    expect(grouped[0]!.name).toMatchObject({ first_name: expect.any(String), last_name: expect.any(String) });
    await flat.stop();
  });

  test('the text "false" of an expression is off, and what is neither on nor off is refused', async () => {
    const customers = world.table('Customers');
    const read = (value: string) =>
      world.records('getAll', customers, {
        limit: 1,
        options: { displayNames: value, simplify: value, group: value },
      });
    const [plain] = outputOf(await world.records('getAll', customers, { limit: 1 }));
    expect(outputOf(await read('={{ "false" }}'))).toEqual([plain]);
    expect((await read('={{ $json.missing }}')).error?.message).toMatch(/^\w[\w ]+ cannot be undefined/);
  });

  test('simplify leaves a column of its own that only looks like a display value', async () => {
    const table = world.service.addTable({
      name: 'Rents',
      fields: ['Rental', 'Rental Val'].map((name) => ({ name, type: 'Text' })),
    });
    const { id } = table.insert({ rental: 'car', rental_val: 'of the car' });
    const found = outputOf(await world.records('getAll', table, { options: { simplify: true } }));
    expect(found).toMatchObject([{ id, rental: 'car', rental_val: 'of the car' }]);
  });

  test('display names are refused where one would stand in the place of the ID', async () => {
    const table = world.service.addTable({
      name: 'Coded',
      fields: [{ name: 'id', slug: 'code', type: 'Text' }],
    });
    table.insert({ code: 'same' });
    table.insert({ code: 'same' });
    const run = await world.records('getAll', table, { options: { displayNames: true } });
    expect(run.error?.message).toMatch(/^Use Display Names: a field of this table is called "id"/);
    expect(outputOf(await world.records('getAll', table))).toHaveLength(2);
  });

  test('nothing found: nothing, an empty item, or an error', async () => {
    const customers = world.table('Customers');
    const filter = manual([{ field: 'company|text', operator: 'is', value: 'No such company' }]);
    const outcome = (ifNothingFound?: string) =>
      world.records('getAll', customers, {
        ...filter,
        options: { ...(ifNothingFound && { ifNothingFound }) },
      });
    expect(outputOf(await outcome())).toEqual([]);
    expect(outputOf(await outcome('emptyItem'))).toEqual([{}]);
    expect((await outcome('error')).error?.message).toBe('No record matches');
  });
});

test('where the field is an expression, an untouched number is no value', async () => {
  const customers = world.table('Customers');
  const row = { field: '={{ "company" }}', operator: 'is', value: '={{ $json.nosuch }}', numberValue: 0 };
  const run = await world.records('getAll', customers, manual([row]));
  expect(run.error?.message).toBe('Filter: "Company" is has no value');
  const found = await world.records(
    'getAll',
    customers,
    manual([{ ...row, field: '={{ "credit_limit" }}', numberValue: 5 }]),
  );
  expect(found.error).toBeUndefined();
});

test.each<[object, RegExp]>([
  [{ filterMode: '={{ $json.no }}' }, /^Filter cannot be undefined$/],
  [{ filterMode: '={{ "JSON" }}' }, /^Filter cannot be "JSON"$/],
  [
    { ...manual([{ field: 'company', operator: 'is', value: 'x' }]), match: '={{ "OR" }}' },
    /^Must Match cannot be "OR"$/,
  ],
  [
    manual([{ field: 'company', operator: '={{ $json.no }}', value: 'x' }]),
    /^Filter: the operator of "company" cannot be undefined$/,
  ],
  [{ sort: { rules: [{ field: '={{ $json.no }}', direction: 'asc' }] } }, /^Sort: a rule has no field$/],
  [{ returnAll: '={{ $json.no }}' }, /^Return All cannot be undefined$/],
])('%j is named, not left out', async (parameters, message) => {
  const before = world.service.requests.length;
  const run = await world.records('getAll', world.table('Customers'), parameters);
  expect(run.error?.message).toMatch(message);
  expect(world.seen(before).filter((one) => one.endsWith('/records'))).toEqual([]);
});

test('a timeout that no timer holds is the longest there is', async () => {
  const run = await world.records('getAll', world.table('Customers'), { requests: { timeout: 3_600_000 } });
  expect(outputOf(run)).toHaveLength(50);
});

test('a limit that an expression does not find is named', async () => {
  const run = await world.records('getAll', world.table('Customers'), { limit: '={{ $json.nosuch }}' });
  expect(run.error?.message).toBe('Limit cannot be undefined');
});

test('a day finds what happened in it, on a Date-Time too', async () => {
  const showcase = world.table('Showcase');
  const times = ['2031-06-01 23:59:59', '2031-06-02 00:00:00', '2031-06-02 13:30:00', '2031-06-03 00:00:00'];
  for (const date_time of times) showcase.insert({ date_time });
  const found = async (operator: string, more: object) => {
    const filter = manual([{ field: 'date_time|dateTime', operator, ...more }]);
    const run = await world.records('getAll', showcase, { ...filter, returnAll: true });
    return outputOf(run).filter(({ date_time }) => String(date_time).startsWith('2031')).length;
  };
  expect(await found('is', { dateValue: '2031-06-02' })).toBe(2);
  expect(await found('is not', { dateValue: '2031-06-02' })).toBe(2);
  expect(await found('is after', { dateValue: '2031-06-02' })).toBe(1);
  expect(await found('between', { dateValue: '2031-06-01', dateTo: '2031-06-02' })).toBe(3);
});

describe('filter form', () => {
  test('nested groups: (active or blocked) and (credit over 10000), by form', async () => {
    const customers = world.table('Customers');
    const statuses = customers.fields.find(({ slug }) => slug === 'status')!.options;
    const [one, two] = statuses.map(({ value }) => value);
    const filter = manual([{ field: 'credit_limit|number', operator: 'higher than', numberValue: 10000 }], {
      match: 'all',
      groups: {
        items: [
          {
            match: 'any',
            conditions: {
              items: [
                { field: 'status|choice', operator: 'is', choiceValue: one },
                { field: 'status|choice', operator: 'is', choiceValue: two },
              ],
            },
          },
        ],
      },
    });
    const found = outputOf(await world.records('getAll', customers, { ...filter, returnAll: true }));
    const expected = [...customers.records.values()].filter(
      (record) => Number(record.credit_limit) > 10000 && [one, two].includes(String(record.status)),
    );
    expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    expect(expected.length).toBeGreaterThan(0);
  });

  test('between, is any of, and relative dates become conditions that the service has', async () => {
    const customers = world.table('Customers');
    const all = [...customers.records.values()];
    const run = async (row: object) =>
      outputOf(await world.records('count', customers, manual([row])))[0]!.count;
    expect(
      await run({ field: 'credit_limit|number', operator: 'between', numberValue: 5000, numberTo: 20000 }),
    ).toBe(all.filter(({ credit_limit: limit }) => Number(limit) >= 5000 && Number(limit) <= 20000).length);
    const some = all.slice(0, 3).map(({ company }) => company as string);
    expect(await run({ field: 'company|text', operator: 'is any of', value: some.join(', ') })).toBe(
      all.filter(({ company }) => some.includes(company as string)).length,
    );
    const fresh = customers.insert({ customer_since: new Date().toISOString().slice(0, 10) });
    expect(
      await run({
        field: 'customer_since|date',
        operator: 'is within',
        period: 'last',
        amount: 2,
        unit: 'day',
      }),
    ).toBe(1);
    customers.delete(fresh.id);
  });

  test('JSON to any depth, with parameters that stay values', async () => {
    const customers = world.table('Customers');
    const filterJson = JSON.stringify({
      condition: 'OR',
      items: [{ field_id: 'name-first', operator: 'is exact', val: '$1' }],
      child: [
        {
          condition: 'AND',
          items: [{ field_id: 'address-city', operator: 'is', val: 'Northtown' }],
          child: [{ condition: 'AND', items: [{ field_id: 'newsletter', operator: 'is checked' }] }],
        },
      ],
    });
    const parameters = {
      filterMode: 'json',
      filterJson,
      filterParameters: '={{ ["Jules"] }}',
      returnAll: true,
    };
    const found = outputOf(await world.records('getAll', customers, parameters));
    const expected = [...customers.records.values()].filter((one) => {
      const [name, address] = [one.name as Record<string, string>, one.address as Record<string, string>];
      return name.first_name === 'Jules' || (address.city === 'Northtown' && one.newsletter === 1);
    });
    expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  });

  test('a parameter is one value of "is any of", whatever its commas', async () => {
    const products = world.table('Products');
    products.insert({ name: 'Lamp, red', sku: 'ANY-1' });
    products.insert({ name: 'red', sku: 'ANY-2' });
    const any = (filterParameters: string) =>
      world.records('getAll', products, {
        filterMode: 'json',
        filterJson: '[{"field_id": "name", "operator": "is any of", "val": "$1"}]',
        filterParameters,
      });
    const skus = async (parameters: string) => outputOf(await any(parameters)).map(({ sku }) => sku);
    expect(await skus('={{ ["Lamp, red"] }}')).toEqual(['ANY-1']);
    expect(await skus('={{ [["Lamp, red", "red"]] }}')).toEqual(['ANY-1', 'ANY-2']);
  });

  test('a date of n8n is its day, as the form hands it over', async () => {
    const table = world.service.addTable({ name: 'Moments', fields: [{ name: 'At', type: 'Date-Time' }] });
    for (const at of ['2025-03-30 23:59:59', '2025-03-31 00:15:00', '2025-03-31 22:00:00'])
      table.insert({ at });
    const found = async (operator: string) =>
      outputOf(
        await world.records(
          'getAll',
          table,
          manual([{ field: 'at|dateTime', operator, dateValue: '={{ DateTime.fromISO("2025-03-31") }}' }]),
        ),
      ).map(({ at }) => String(at).slice(8));
    expect(await found('is')).toEqual(['31 00:15:00', '31 22:00:00']);
    expect(await found('is on or before')).toHaveLength(3);
    expect(await found('is after')).toEqual([]);
  });

  test('a group without a condition asks for nothing', async () => {
    const customers = world.table('Customers');
    const active = { field: 'status|choice', operator: 'is', choiceValue: 'active' };
    const of = (more: object) =>
      world.records('getAll', customers, { ...manual([active], more), returnAll: true });
    const empty = { match: 'any', groups: { items: [{ match: 'all', conditions: { items: [] } }] } };
    expect(outputOf(await of(empty))).toEqual(outputOf(await of({ match: 'any' })));
    const sent = world.service.requests.flatMap(({ body }) => (body as { filters?: object })?.filters ?? []);
    expect(sent.slice(-2)).toMatchObject([{ child: [] }, { child: [] }]);
  });

  test.each([
    ['an unknown field', { field: 'compani', operator: 'is', value: 'x' }, /no field "compani".*company/s],
    ['a display name', { field: 'Company', operator: 'is', value: 'x' }, /Did you mean "company"/],
    [
      'an operator of another kind',
      { field: 'company|text', operator: 'higher than', value: 'x' },
      /no operator/,
    ],
    [
      'a value that went missing',
      { field: 'company|text', operator: 'is', value: '={{ $json.nothing }}' },
      /has no value/,
    ],
    [
      'a logged-in-user operator without a user',
      { field: 'account_owner|user', operator: 'is logged in user' },
      /logged-in user/,
    ],
  ])('refuses %s and sends nothing', async (_, row, message) => {
    const before = world.service.requests.length;
    const run = await world.records('getAll', world.table('Customers'), manual([row]));
    expect(`${run.error?.message} ${(run.error as { description?: string }).description}`).toMatch(message);
    expect(world.seen(before).filter((one) => one.endsWith('/records'))).toEqual([]);
  });

  test.each([
    [{ condition: 'AND', items: [{ field_id: 'company', operator: 'is', value: 'x' }] }, '"val"'],
    [[{ field_id: 'company', condition: '=', val: 'x' }], '"operator"'],
    [{ items: [], groups: [] }, '"child"'],
    ['{"items": [', 'no JSON'],
  ])('names the right key for %j', async (filter, right) => {
    const filterJson = typeof filter === 'string' ? filter : JSON.stringify(filter);
    const run = await world.records('getAll', world.table('Customers'), { filterMode: 'json', filterJson });
    expect(run.error?.message).toContain(right);
  });

  test('logged-in-user operators work with a user login', async () => {
    const user = await World.start();
    const { email, password } = user.service.user;
    await user.engine.setCredential('recordDatabaseApi', {
      baseUrl: user.service.baseUrl,
      ...user.service.keys,
      userLogin: true,
      email,
      password,
    });
    const row = { field: 'account_owner|user', operator: 'is logged in user' };
    const found = outputOf(
      await user.records('getAll', user.table('Customers'), { ...manual([row]), returnAll: true }),
    );
    expect(found.length).toBeGreaterThan(0);
    expect(found.every((one) => (one.account_owner as string[]).includes(user.service.user.userId))).toBe(
      true,
    );
    expect(user.violations()).toEqual([]);
    await user.stop();
  });
});

describe('search, get, tables and fields', () => {
  test('search uses the symbolic form', async () => {
    const customers = world.table('Customers');
    const parameters = {
      returnAll: true,
      symbolicConditions: {
        items: [
          { field: 'credit_limit|number', condition: 'atLeast', value: '20000' },
          { field: 'company|text', condition: 'contains', value: 'Partners' },
        ],
      },
    };
    const before = world.service.requests.length;
    const found = outputOf(await world.records('search', customers, parameters));
    const expected = [...customers.records.values()].filter(
      (one) => Number(one.credit_limit) >= 20000 && String(one.company).includes('Partners'),
    );
    expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    expect(world.seen(before).at(-1)).toContain('_zmode=search');
    const wrong = await world.records('search', customers, {
      conditionMode: 'json',
      conditionJson: '[{"field_id": "company", "operator": "is", "val": "x"}]',
    });
    expect(wrong.error?.message).toMatch(/"condition"|"value"/);
  });

  test('get returns one record, and says what a missing one means', async () => {
    const customers = world.table('Customers');
    const id = [...customers.records.keys()][5]!;
    const [found] = outputOf(
      await world.records('get', customers, { recordId: id, options: { columns: ['company'] } }),
    );
    expect(found).toMatchObject({ id, company: customers.records.get(id)!.company });
    const run = await world.records('get', customers, { recordId: '42' });
    expect(run.error?.message).toBe('The record does not exist');
    expect((run.error as { description?: string }).description).toContain('encoded');
  });

  test('tables and fields, basic and full', async () => {
    const tables = outputOf(await world.run({ resource: 'dataTable', operation: 'getAll' }));
    expect(tables).toContainEqual({ id: world.table('Orders').id, name: 'Orders' });
    const fields = async (details: string) =>
      outputOf(
        await world.run({
          resource: 'field',
          operation: 'getAll',
          dataTableId: byId(world.table('Orders').id),
          details,
        }),
      );
    expect(Object.keys((await fields('basic'))[0]!).sort()).toEqual(['name', 'slug', 'type']);
    expect((await fields('full'))[0]).toHaveProperty('fieldId');
  });
});
