import { PROFILES } from '../../service/profiles';
import { AUTO_MAP, getOutput, TestEnvironment, toColumns, toLocator } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';

const env = useTestEnvironment({}, { timezone: 'Europe/Berlin' });

/** A filter as the form saves it. */
const createFilter = (items: object[], more: object = {}) => ({
  filterMode: 'manual',
  conditions: { items },
  ...more,
});

const CUT_LIST_HINT = 'More records match than the default Limit returns. For all, turn on "Return All".';

describe('get many', () => {
  test.each([1, 50, 199, 200, 201, 400, 450])(
    'a limit of %i gives exactly as many, in order',
    async (limit) => {
      const orders = env.getTable('Orders');
      const countFound = getOutput(
        await env.runRecordOperation('getAll', orders, { returnAll: false, limit }),
      );
      expect(countFound.map(({ id }) => id)).toEqual([...orders.records.keys()].slice(0, limit));
    },
  );

  test.each([
    ['the default Limit has cut the list', {}, 300, true],
    ['the list has as many records as the default Limit', {}, 50, false],
    ['another Limit was set', { limit: 49 }, 300, false],
    ['a page was chosen', { options: { startPage: 1 } }, 300, false],
    ['all records were returned', { returnAll: true }, 300, false],
  ])('a hint says that there are more records only if %s', async (_, parameters, count, isExpected) => {
    const fields = [{ name: 'Code', type: 'Text' as const }];
    const table = env.service.addTable({ name: 'Listed', fields });
    for (let n = 0; n < count; n++) table.insert({ code: `C${n}` });
    const filter = createFilter([{ field: 'code|text', operator: 'starts with', value: 'C' }]);
    const run = await env.runRecordOperation('getAll', table, { ...filter, ...parameters });
    expect(getOutput(run).length).toBeGreaterThan(0);
    const hints = run.getHints('Node').map(({ message }) => message);
    expect(hints).toEqual(isExpected ? [CUT_LIST_HINT] : []);
  });

  test('return all reads every record in pages of 200', async () => {
    const orders = env.getTable('Orders');
    const before = env.service.requests.length;
    const found = getOutput(await env.runRecordOperation('getAll', orders, { returnAll: true }));
    expect(found.map(({ id }) => id)).toEqual([...orders.records.keys()]);
    const pages = env.listRequests(before).filter((one) => one.endsWith('/records'));
    expect(pages).toHaveLength(Math.ceil(orders.records.size / 200));
  });

  test('sorts by several fields and returns only the chosen columns', async () => {
    const customers = env.getTable('Customers');
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
    const found = getOutput(await env.runRecordOperation('getAll', customers, parameters));
    expect(Object.keys(found[0]!).sort()).toEqual(['created_at', 'credit_limit', 'id', 'status']);
    const pairs = found.map((one) => [String(one.status), Number(one.credit_limit)] as const);
    pairs.slice(1).forEach(([status, limit], i) => {
      const [earlier, more] = pairs[i]!;
      expect(earlier < status || (earlier === status && more >= limit)).toBe(true);
    });
  });

  test('display names and Simplify change the output; the total is included', async () => {
    const customers = env.getTable('Customers');
    const names = getOutput(
      await env.runRecordOperation('getAll', customers, {
        limit: 1,
        simplify: 'names',
        options: { includeTotal: true },
      }),
    );
    expect(names[0]).toMatchObject({ Company: expect.any(String), _total: customers.records.size });
    const orders = env.getTable('Orders');
    const [simple] = getOutput(await env.runRecordOperation('getAll', orders, { limit: 1 }));
    const { customer, products } = orders.records.get(String(simple!.id))!;
    expect(simple).toMatchObject({
      customer: expect.any(String),
      customer_id: (customer as string[])[0],
      products: expect.arrayContaining([expect.any(String)]),
      products_id: products,
    });
    const whole = { limit: 1, simplify: 'off' };
    const [plain] = getOutput(await env.runRecordOperation('getAll', orders, whole));
    expect(plain).toMatchObject({ customer, products, products_val: expect.any(Array) });
  });

  test('an expression that returns the text "false" turns a switch off, and any other text is refused', async () => {
    const customers = env.getTable('Customers');
    const read = (value: string) =>
      env.runRecordOperation('getAll', customers, { limit: 1, options: { includeTotal: value } });
    const [plain] = getOutput(await env.runRecordOperation('getAll', customers, { limit: 1 }));
    expect(getOutput(await read('={{ "false" }}'))).toEqual([plain]);
    expect((await read('={{ $json.missing }}')).error?.message).toMatch(/^\w[\w ]+ cannot be undefined/);
  });

  test('simplify keeps a column whose name only resembles a display value', async () => {
    const table = env.service.addTable({
      name: 'Rents',
      fields: ['Rental', 'Rental Val'].map((name) => ({ name, type: 'Text' })),
    });
    const { id } = table.insert({ rental: 'car', rental_val: 'of the car' });
    const found = getOutput(await env.runRecordOperation('getAll', table, { simplify: 'slugs' }));
    expect(found).toMatchObject([{ id, rental: 'car', rental_val: 'of the car' }]);
  });

  test('a field with the name of a key of every record replaces none of them', async () => {
    const table = env.service.addTable({
      name: 'Coded',
      fields: [{ name: 'id', slug: 'code', type: 'Text' }],
    });
    const { id } = table.insert({ code: 'same' });
    const found = getOutput(await env.runRecordOperation('getAll', table, { simplify: 'names' }));
    expect(found).toMatchObject([{ id, 'id [code]': 'same' }]);
  });

  test('an empty result returns no item', async () => {
    const filter = createFilter([{ field: 'company|text', operator: 'is', value: 'No such company' }]);
    expect(getOutput(await env.runRecordOperation('getAll', env.getTable('Customers'), filter))).toEqual([]);
  });
});

test('if the field is an expression, an untouched number counts as no value', async () => {
  const customers = env.getTable('Customers');
  const row = { field: '={{ "company" }}', operator: 'is', value: '={{ $json.nosuch }}' };
  const run = await env.runRecordOperation('getAll', customers, createFilter([row]));
  expect(run.error?.message).toBe('Filter: "Company" needs a value for the operator "is"');
  const found = await env.runRecordOperation(
    'getAll',
    customers,
    createFilter([{ ...row, field: '={{ "credit_limit" }}', numberValue: 5 }]),
  );
  expect(found.error).toBeUndefined();
});

test.each<[object, RegExp]>([
  [{ filterMode: '={{ $json.no }}' }, /^Filter cannot be undefined$/],
  [{ filterMode: '={{ "JSON" }}' }, /^Filter cannot be "JSON"$/],
  [
    {
      ...createFilter([{ field: 'company', operator: 'is', value: 'x' }]),
      filterMode: 'groups',
      match: '={{ "OR" }}',
    },
    /^Must Match cannot be "OR"$/,
  ],
  [
    createFilter([{ field: 'company', operator: '={{ $json.no }}', value: 'x' }]),
    /^Filter: the operator of "company" cannot be undefined$/,
  ],
  [{ sort: { rules: [{ field: '={{ $json.no }}', direction: 'asc' }] } }, /^Sort: a rule has no field$/],
  [{ returnAll: '={{ $json.no }}' }, /^Return All cannot be undefined$/],
])('%j is an error that names the parameter', async (parameters, message) => {
  const before = env.service.requests.length;
  const run = await env.runRecordOperation('getAll', env.getTable('Customers'), parameters);
  expect(run.error?.message).toMatch(message);
  expect(env.listRequests(before).filter((one) => one.endsWith('/records'))).toEqual([]);
});

test('a timeout above the maximum of a timer is reduced to that maximum', async () => {
  const run = await env.withSettings({ requestTimeout: 3_600_000 }, () =>
    env.runRecordOperation('getAll', env.getTable('Customers')),
  );
  expect(getOutput(run)).toHaveLength(50);
});

test('a limit whose expression has no value is an error that names it', async () => {
  const run = await env.runRecordOperation('getAll', env.getTable('Customers'), {
    limit: '={{ $json.nosuch }}',
  });
  expect(run.error?.message).toBe('Limit cannot be undefined');
});

test('a filter on a day finds all values within it, also in a Date-Time field', async () => {
  const showcase = env.getTable('Showcase');
  const times = ['2031-06-01 23:59:59', '2031-06-02 00:00:00', '2031-06-02 13:30:00', '2031-06-03 00:00:00'];
  for (const date_time of times) showcase.insert({ date_time });
  const found = async (operator: string, more: object) => {
    const filter = createFilter([{ field: 'date_time|dateTime', operator, ...more }]);
    const run = await env.runRecordOperation('getAll', showcase, { ...filter, returnAll: true });
    return getOutput(run).filter(({ date_time }) => String(date_time).startsWith('2031')).length;
  };
  expect(await found('is', { dateValue: '2031-06-02' })).toBe(2);
  expect(await found('is not', { dateValue: '2031-06-02' })).toBe(2);
  expect(await found('is after', { dateValue: '2031-06-02' })).toBe(1);
  expect(await found('between', { dateValue: '2031-06-01', dateTo: '2031-06-02' })).toBe(3);
});

describe('filter form', () => {
  test('nested groups: (active or blocked) and (credit over 10000), by form', async () => {
    const customers = env.getTable('Customers');
    const statuses = customers.fields.find(({ slug }) => slug === 'status')!.options;
    const [one, two] = statuses.map(({ value }) => value);
    const filter = createFilter(
      [{ field: 'credit_limit|number', operator: 'higher than', numberValue: 10000 }],
      {
        filterMode: 'groups',
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
      },
    );
    const found = getOutput(
      await env.runRecordOperation('getAll', customers, { ...filter, returnAll: true }),
    );
    const expected = [...customers.records.values()].filter(
      (record) => Number(record.credit_limit) > 10000 && [one, two].includes(String(record.status)),
    );
    expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    expect(expected.length).toBeGreaterThan(0);
  });

  test('between, is any of, and relative dates become conditions that the service supports', async () => {
    const customers = env.getTable('Customers');
    const all = [...customers.records.values()];
    const run = async (row: object) =>
      getOutput(await env.runRecordOperation('count', customers, createFilter([row])))[0]!.count;
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

  test('JSON filters nest to any depth, and their parameters are inserted as values only', async () => {
    const customers = env.getTable('Customers');
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
      options: { filterParameters: '={{ ["Jules"] }}' },
      returnAll: true,
    };
    const found = getOutput(await env.runRecordOperation('getAll', customers, parameters));
    const expected = [...customers.records.values()].filter((one) => {
      const [name, address] = [one.name as Record<string, string>, one.address as Record<string, string>];
      return name.first_name === 'Jules' || (address.city === 'Northtown' && one.newsletter === 1);
    });
    expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  });

  test('a parameter with commas is one value of "is any of"', async () => {
    const products = env.getTable('Products');
    products.insert({ name: 'Lamp, red', sku: 'ANY-1' });
    products.insert({ name: 'red', sku: 'ANY-2' });
    const runWithParameters = (filterParameters: string) =>
      env.runRecordOperation('getAll', products, {
        filterMode: 'json',
        filterJson: '[{"field_id": "name", "operator": "is any of", "val": "$1"}]',
        options: { filterParameters },
      });
    const listSkus = async (parameters: string) =>
      getOutput(await runWithParameters(parameters)).map(({ sku }) => sku);
    expect(await listSkus('={{ ["Lamp, red"] }}')).toEqual(['ANY-1']);
    expect(await listSkus('={{ [["Lamp, red", "red"]] }}')).toEqual(['ANY-1', 'ANY-2']);
  });

  test('a date value of n8n is compared by its day', async () => {
    const table = env.service.addTable({ name: 'Moments', fields: [{ name: 'At', type: 'Date-Time' }] });
    for (const at of ['2025-03-30 23:59:59', '2025-03-31 00:15:00', '2025-03-31 22:00:00'])
      table.insert({ at });
    const found = async (operator: string) =>
      getOutput(
        await env.runRecordOperation(
          'getAll',
          table,
          createFilter([
            { field: 'at|dateTime', operator, dateValue: '={{ DateTime.fromISO("2025-03-31") }}' },
          ]),
        ),
      ).map(({ at }) => String(at).slice(8));
    expect(await found('is')).toEqual(['31 00:15:00', '31 22:00:00']);
    expect(await found('is on or before')).toHaveLength(3);
    expect(await found('is after')).toEqual([]);
  });

  // Left out, more records would match where all conditions must hold.
  test.each([
    ['no row', [], 'Filter: a group has no condition'],
    ['a row in which nothing was entered', [{ operator: 'is' }], 'Filter: a condition has no field'],
    [
      'a row whose expressions found nothing',
      [{ field: '={{ $json.nothing }}', operator: 'is', value: '={{ $json.nothing }}' }],
      'Filter: a condition has no field',
    ],
  ])('a group with %s is refused', async (_, items, message) => {
    const active = { field: 'status|choice', operator: 'is', choiceValue: 'active' };
    for (const match of ['all', 'any']) {
      const groups = { items: [{ match: 'all', conditions: { items } }] };
      const filter = createFilter([active], { filterMode: 'groups', match, groups });
      const before = env.service.requests.length;
      const run = await env.runRecordOperation('getAll', env.getTable('Customers'), filter);
      expect(run.error?.message).toBe(message);
      expect(env.listRequests(before).filter((one) => !/fields/.test(one))).toEqual([]);
    }
  });

  test.each([
    [
      'an unknown field',
      { field: 'compani', operator: 'is', value: 'x' },
      /no field "compani".*Did you mean "Company"/s,
    ],
    [
      'an operator of another kind',
      { field: 'company|text', operator: 'higher than', value: 'x' },
      /no operator/,
    ],
    [
      'a value that went missing',
      { field: 'company|text', operator: 'is', value: '={{ $json.nothing }}' },
      /needs a value for the operator "is"/,
    ],
    [
      'the name of a user',
      { field: 'account_owner|user', operator: 'is', value: 'Alex Ash' },
      /cannot be compared with "Alex Ash".*have it under "account_owner_id"/s,
    ],
    [
      'one word for a user, in a list',
      { field: 'account_owner|user', operator: 'is any of', value: 'K7pQ2xW9Lm, Alex' },
      /cannot be compared with "Alex"/,
    ],
    [
      'a logged-in-user operator without a user',
      { field: 'account_owner|user', operator: 'is logged in user' },
      /logged-in user/,
    ],
  ])('refuses %s and sends nothing', async (_, row, message) => {
    const before = env.service.requests.length;
    const run = await env.runRecordOperation('getAll', env.getTable('Customers'), createFilter([row]));
    expect(`${run.error?.message} ${(run.error as { description?: string }).description}`).toMatch(message);
    expect(env.listRequests(before).filter((one) => one.endsWith('/records'))).toEqual([]);
  });

  test('an ID of a user that looks like a word is given as {id}', async () => {
    const table = env.getTable('Customers');
    const byId = { filterMode: 'json', filterJson: '{"Account Owner": {"id": "someuserid"}}' };
    expect(getOutput(await env.runRecordOperation('count', table, byId))).toEqual([{ count: 0 }]);
  });

  test.each<[string, object, RegExp]>([
    ['JSON without a condition', { filterMode: 'json', filterJson: '={{ {} }}' }, /has no condition/],
    ['a form without a condition', { filterMode: 'manual', conditions: {} }, /has no condition/],
    [
      'a match that is missing',
      {
        ...createFilter([{ field: 'company|text', operator: 'is', value: 'x' }]),
        filterMode: 'groups',
        match: '={{ $json.none }}',
      },
      /Must Match cannot be undefined/,
    ],
    [
      'a number in the input of a text',
      createFilter([{ field: 'credit_limit|number', operator: 'lower than', value: '50' }]),
      /needs a value for the operator "lower than"/,
    ],
  ])('refuses %s: it would match other records', async (_, parameters, message) => {
    const before = env.service.requests.length;
    const run = await env.runRecordOperation('getAll', env.getTable('Customers'), parameters);
    expect(run.error?.message).toMatch(message);
    expect(env.listRequests(before).filter((one) => one.endsWith('/records'))).toEqual([]);
  });

  test.each([
    [{ condition: 'AND', items: [{ field_id: 'company', operator: 'is', val: 'y', value: 'x' }] }, '"val"'],
    [[{ field_id: 'company', operator: 'is', condition: '=', val: 'x' }], '"operator"'],
    [{ items: [], child: [], groups: [] }, '"child"'],
    ['{"items": [', 'not valid JSON'],
  ])('names the right key for %j', async (filter, right) => {
    const filterJson = typeof filter === 'string' ? filter : JSON.stringify(filter);
    const run = await env.runRecordOperation('getAll', env.getTable('Customers'), {
      filterMode: 'json',
      filterJson,
    });
    expect(run.error?.message).toContain(right);
  });

  test('logged-in-user operators work with a user login', async () => {
    const user = await TestEnvironment.start();
    const { email, password } = user.service.user;
    await user.engine.setCredential('recordDatabaseApi', {
      baseUrl: user.service.baseUrl,
      ...user.service.keys,
      userLogin: 'password',
      email,
      password,
    });
    const row = { field: 'account_owner|user', operator: 'is logged in user' };
    const found = getOutput(
      await user.runRecordOperation('getAll', user.getTable('Customers'), {
        ...createFilter([row]),
        returnAll: true,
      }),
    );
    expect(found.length).toBeGreaterThan(0);
    expect(found.every((one) => one.account_owner_id === user.service.user.userId)).toBe(true);
    expect(user.takeViolations()).toEqual([]);
    await user.stop();
  });
});

describe('get, tables and fields', () => {
  test('get returns one record, and the error for a missing record explains the cause', async () => {
    const customers = env.getTable('Customers');
    const id = [...customers.records.keys()][5]!;
    const [found] = getOutput(
      await env.runRecordOperation('get', customers, { recordId: id, options: { columns: ['company'] } }),
    );
    expect(found).toMatchObject({ id, company: customers.records.get(id)!.company });
    const run = await env.runRecordOperation('get', customers, { recordId: '42' });
    expect(run.error?.message).toBe('The record "42" does not exist');
    expect((run.error as { description?: string }).description).toContain(
      'A record ID is the "id" that Get Many returns',
    );
  });

  test('tables and fields, basic and full', async () => {
    const tables = getOutput(await env.run({ resource: 'dataTable', operation: 'getAll' }));
    expect(tables).toContainEqual({ id: env.getTable('Orders').id, name: 'Orders' });
    const fields = async (details: string) =>
      getOutput(
        await env.run({
          resource: 'field',
          operation: 'getAll',
          dataTableId: toLocator(env.getTable('Orders').id),
          details,
        }),
      );
    expect(Object.keys((await fields('basic'))[0]!).sort()).toEqual(['name', 'slug', 'type']);
    expect((await fields('full'))[0]).toHaveProperty('fieldId');
  });
});

describe('refuses what it cannot do exactly', () => {
  const LIST = /\/records$/;

  test('a count without a total in the answer', async () => {
    const body = { type: 'success', items: [] };
    env.service.faults.add({ when: { pattern: LIST }, fault: { type: 'status', status: 200, body } });
    expect((await env.runRecordOperation('count', env.getTable('Orders'))).error).toMatchObject({
      message:
        "The service's answer to GET /api/v1/data-tables/{dataTableId}/records does not have the documented form",
    });
  });

  test.each([
    [
      createFilter([{ field: '', operator: 'is', value: 'x' }]),
      'Filter: a condition has no field',
      'Choose the field from the list, or remove the condition.',
    ],
    [
      createFilter([{ field: 'number|text', operator: '={{ $json.nothing }}', value: 'open' }]),
      'Filter: the operator of "number" cannot be undefined',
      'Choose it from the list. An expression may have returned nothing.',
    ],
    [
      createFilter([]),
      'The filter has no condition: it would match every record',
      expect.stringMatching(/ In the form, choose "Created At" and "Is Not Blank"\.$/),
    ],
    [
      { filterMode: 'json', filterJson: '{"items": []}' },
      'The filter has no condition: it would match every record',
      expect.stringMatching(
        /^Nothing was sent\. Add a condition\. For all records, give the word "all" as the JSON filter; /,
      ),
    ],
    [
      {
        filterMode: 'json',
        filterJson: '{"items": [{"field_id": "status", "operator": "is", "val": "$1"}]}',
        options: { filterParameters: '{"first": "open"}' },
      },
      'Filter Parameters cannot be "{\\"first\\": \\"open\\"}"',
      'Give a JSON array such as ["Open", 100].',
    ],
  ])('the filter %j', async (filter, message, description) => {
    const before = env.service.requests.length;
    const { error } = await env.runRecordOperation('getAll', env.getTable('Orders'), filter);
    expect(error?.message).toBe(message);
    expect((error as { description?: string }).description).toEqual(description);
    expect(env.listRequests(before).filter((pattern) => LIST.test(pattern))).toEqual([]);
  });
});

describe('a form in which no condition was entered', () => {
  const START_ROW = {
    filterMode: 'manual',
    conditions: { items: [{ field: '', operator: 'is', value: '' }] },
  };
  const withRow = (row: object) => ({ filterMode: 'manual', conditions: { items: [row] } });

  test.each([
    ['as the editor stores nothing of it', {}],
    ['as the editor stores it', START_ROW],
    ['with one of several', { ...START_ROW, filterMode: 'any' }],
  ])('%s: Count and Get Many take all records, and read no fields', async (_, filter) => {
    const orders = env.getTable('Orders');
    const before = env.service.requests.length;
    const [count] = getOutput(await env.runRecordOperation('count', orders, filter));
    expect(count).toEqual({ count: orders.records.size });
    expect(env.listRequests(before).filter((one) => one.endsWith('/records'))).toHaveLength(1);
    const found = getOutput(await env.runRecordOperation('getAll', orders, { ...filter, limit: 3 }));
    expect(found).toHaveLength(3);
  });

  // An expression that found nothing was entered: it must not read, change or delete everything.
  test.each([
    ['an expression as field', withRow({ field: '={{ $json.nothing }}', operator: 'is', value: '' })],
    ['an expression as value', withRow({ field: '', operator: 'is', value: '={{ $json.nothing }}' })],
    ['two of them', withRow({ field: '={{ "" }}', operator: 'is', value: '={{ "" }}' })],
    [
      'a field without a value',
      withRow({ field: 'number|text', operator: 'is', value: '={{ $json.nothing }}' }),
    ],
    ['two rows', { filterMode: 'manual', conditions: { items: [{ field: '' }, { field: '' }] } }],
  ])('%s is an error', async (_, filter) => {
    const before = env.service.requests.length;
    const run = await env.runRecordOperation('getAll', env.getTable('Orders'), filter);
    expect(run.error?.message).toMatch(/^(Filter: |The filter has no condition)/);
    expect(env.listRequests(before).filter((one) => one.endsWith('/records'))).toEqual([]);
  });

  test.each(['deleteMany', 'batchUpdate', 'sync'])(
    '%s does not take it for all records',
    async (operation) => {
      const orders = env.getTable('Orders');
      const before = [...orders.records.values()].map((record) => ({ ...record }));
      const columns = { ...toColumns({ number: 'only one', quantity: 1 }), matchingColumns: ['number'] };
      const parameters = { columns, deleteMissing: true, maximumDeletions: '100%', maximumRecords: 100_000 };
      const run = await env.runRecordOperation(operation, orders, { ...parameters, ...START_ROW });
      expect(run.error?.message).toMatch(/no (condition|filter)/);
      expect([...orders.records.values()]).toEqual(before);
    },
  );
});

describe.each(Object.keys(PROFILES) as Array<keyof typeof PROFILES>)('%s', (profile) => {
  const own = new TestEnvironment();
  beforeAll(() => own.start({ profile }));
  afterAll(() => own.stop());

  test('a field whose name begins as the keys of nodes do replaces none of them', async () => {
    const names = ['_action', '_before', '_event', '_completion', '_changedFields', '_notChecked'];
    const fields = names.map((name, at) => ({
      name,
      slug: `f${at}`,
      type: 'Text' as const,
      unique: at === 0,
    }));
    const table = own.service.addTable({ name: 'Underlined', fields });
    const { id } = table.insert({ f0: 'a', f1: 'b' });
    const [written] = getOutput(
      await own.runRecordOperation('upsert', table, {
        columns: toColumns({ f0: 'a', f1: 'c' }, ['f0']),
        simplify: 'names',
      }),
    );
    expect(written).toMatchObject({ _action: 'updated', id, '_action [f0]': 'a', '_before [f1]': 'c' });
    const [found] = getOutput(await own.runRecordOperation('getAll', table, { simplify: 'names' }));
    expect(Object.keys(found!).filter((key) => key.startsWith('_'))).toEqual(
      names.map((name, at) => `${name} [f${at}]`),
    );
    // The record can be written back.
    const again = await own.runRecordOperation(
      'upsert',
      table,
      { columns: { ...AUTO_MAP, matchingColumns: ['f0'] } },
      [{ ...found, '_before [f1]': 'd' }],
    );
    expect(again.error).toBeUndefined();
    expect(table.records.get(id)).toMatchObject({ f0: 'a', f1: 'd' });
  });
});
