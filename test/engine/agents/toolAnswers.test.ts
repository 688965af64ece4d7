import { scaleSize } from '../../randomness';
import { TestEnvironment, toLocator } from '../support/testEnvironment';
import type { Outcome } from './judgeCall';
import { createToolWorkflow } from './tools';

let env: TestEnvironment;
beforeAll(async () => {
  env = await TestEnvironment.start();
});
afterAll(() => env?.stop());

async function callTool(parameters: object, type?: string): Promise<Outcome> {
  const run = await env.engine.run(createToolWorkflow('tool', parameters, type), { input: [{ json: {} }] });
  return (run.getJson('Agent')[0] ?? { error: run.error?.message }) as Outcome;
}

const readAnswer = async (parameters: object, type?: string) => {
  const { answer, error } = await callTool(parameters, type);
  if (answer === undefined) throw new Error(error);
  return JSON.parse(answer) as Array<Record<string, unknown>>;
};

const readShowcase = (parameters: object = {}) => ({
  resource: 'record',
  operation: 'getAll',
  dataTableId: toLocator(env.getTable('Showcase').id),
  limit: 20,
  filterJson: 'all',
  ...parameters,
});

/** Estimates the tokens of JSON from above: cl100k_base has about 2.4 characters a token for these answers. */
const estimateTokens = (text: string) => text.length / 2;

test('20 records of a table with 24 fields stay under 1,500 tokens with chosen columns', async () => {
  expect(env.getTable('Showcase').fields.length).toBeGreaterThanOrEqual(24);
  const { answer = '' } = await callTool(
    readShowcase({ options: { columns: ['text', 'number', 'date', 'select'] } }),
  );
  const records = JSON.parse(answer) as Array<Record<string, unknown>>;
  expect(records).toHaveLength(20);
  expect(records[0]).toMatchObject({ text: 'Text 1', number: 1, select: 'b', _total: 24 });
  expect(records.every(({ id }) => typeof id === 'string')).toBe(true);
  expect(estimateTokens(answer)).toBeLessThan(1_500);
  expect(estimateTokens(answer)).toBeLessThan(1_500);
});

test('without chosen columns a model sees ten of each record, and the names of the others once', async () => {
  const [first, second] = await readAnswer(readShowcase());
  const columns = Object.keys(second!).filter((key) => key !== 'id');
  expect(columns).toHaveLength(10);
  expect(first!._moreColumns).toEqual(expect.arrayContaining(['unique_text', 'formula']));
  expect(first!._total).toBe(24);
  expect(second).not.toHaveProperty('_total');
});

test('the same node in a workflow returns all columns and no additional keys', async () => {
  const run = await env.run(readShowcase());
  const [first] = run.getJson('Node');
  expect(first).toHaveProperty('unique_text', 'unique 1');
  expect(first).not.toHaveProperty('_moreColumns');
  expect(first).not.toHaveProperty('_total');
});

test('a model filters and sorts with a tool in which only the table was picked', async () => {
  const run = await env.engine.run(
    createToolWorkflow('tool', {
      resource: 'record',
      operation: 'getAll',
      dataTableId: toLocator(env.getTable('Showcase').id),
    }),
    { input: [{ json: { filter: '{"Number": {">": 20}}', sort: '{"Number": "desc"}' } }] },
  );
  const { answer } = run.getJson('Agent')[0] as unknown as { answer: string };
  const numbers = (JSON.parse(answer) as Array<{ number: number }>).map(({ number }) => number);
  const expected = [...env.getTable('Showcase').records.values()].map(({ number }) => Number(number ?? 0));
  expect(numbers).toEqual(expected.filter((number) => number > 20).sort((a, b) => b - a));
});

test('a model gives the ID of the record to a tool in which only the table was picked', async () => {
  const table = env.getTable('Customers');
  const { id, email } = table.insert({ company: 'Picked by ID', email: 'picked@example.com' });
  const call = async (operation: string, given: object) => {
    const parameters = { resource: 'record', operation, dataTableId: toLocator(table.id) };
    const run = await env.engine.run(createToolWorkflow('tool', parameters), {
      input: [{ json: { recordId: id, ...given } }],
    });
    return JSON.parse((run.getJson('Agent')[0] as unknown as { answer: string }).answer) as object[];
  };
  expect(await call('get', {})).toMatchObject([{ id, email }]);
  await call('update', { fields: { Company: 'Changed by ID' } });
  expect(table.records.get(id)).toMatchObject({ company: 'Changed by ID', email });
  await call('delete', {});
  expect(table.records.has(id)).toBe(false);
});

test('the author of a tool limits the records that a model can reach', async () => {
  const filterJson = "={{ { Status: 'Active', and: [$fromAI('filter', 'Filter as JSON', 'json')] } }}";
  const parameters = {
    resource: 'record',
    operation: 'count',
    dataTableId: toLocator(env.getTable('Customers').id),
    filterJson,
  };
  const count = async (filter: object) => {
    const run = await env.engine.run(createToolWorkflow('tool', parameters), {
      input: [{ json: { filter } }],
    });
    const { answer } = run.getJson('Agent')[0] as unknown as { answer: string };
    return (JSON.parse(answer) as Array<{ count: number }>)[0]!.count;
  };
  const active = [...env.getTable('Customers').records.values()].filter(({ status }) => status === 'active');
  const rich = active.filter(({ credit_limit }) => Number(credit_limit) > 5000);
  expect(await count({ 'Credit Limit': { '>': 5000 } })).toBe(rich.length);
  expect(await count({ or: [{ Status: 'Lead' }, { Status: { 'is not': 'Lead' } }] })).toBe(active.length);
});

test('a tool that finds nothing returns the total', async () => {
  const nothing = { filterMode: 'json', filterJson: '{"text": "no such text"}' };
  expect(await readAnswer(readShowcase(nothing))).toEqual([{ _total: 0 }]);
});

test('a long text is cut with a mark', async () => {
  const table = env.getTable('Showcase');
  const { id } = table.insert({ long_text: 'x'.repeat(5_000), unique_text: 'long' });
  const [record] = await readAnswer({
    resource: 'record',
    operation: 'get',
    dataTableId: toLocator(table.id),
    recordId: toLocator(id),
    options: { columns: ['long_text'] },
  });
  table.delete(id);
  expect(record!.long_text).toBe(`${'x'.repeat(300)}… [cut, 5000 characters]`);
});

test('the message of an error contains what to do, because a model sees nothing else', async () => {
  const { error } = await callTool(readShowcase({ filterMode: 'json', filterJson: '{"colour": "red"}' }));
  expect(error).toContain('Filter: the table has no field "colour". ');
  expect(error).toContain('The fields are: Text, ');
});

const USERS_TOOL = 'n8n-nodes-record-database.recordDatabaseUsersTool';

test.each([
  [{}, '•••', '•••'],
  [{ returnSecrets: true }, expect.stringMatching(/\w{8}/), expect.stringContaining('http')],
])(
  'a model sees the token and the magic link with the options %j as %p and %p',
  async (options, token, link) => {
    const { email } = env.service.user;
    const parameters = { resource: 'session', operation: 'createMagicLink', email, options };
    expect(await readAnswer(parameters, USERS_TOOL)).toMatchObject([{ token, magicLinkUrl: link }]);
  },
);

test.each([
  { access: 'JWT-SECRET' },
  { data: { jwt: 'JWT-SECRET' } },
  { items: ['JWT-SECRET'] },
  { code: 471_108, note: 'JWT-SECRET' },
])('a model sees no secret under a key that the documentation does not show: %j', async (shown) => {
  const body = { type: 'success', user_id: 'u1', ...shown };
  const when = { pattern: /\/auth\/auto-login$/ };
  const parameters = { resource: 'session', operation: 'autoLogin', email: env.service.user.email };
  const read = async (options: object) => {
    env.service.faults.add({ when, fault: { type: 'status', status: 200, body } });
    return JSON.stringify(await readAnswer({ ...parameters, options }, USERS_TOOL));
  };
  const answer = await read({});
  expect(answer).toContain('"user_id":"u1"');
  expect(answer).not.toMatch(/JWT|471/);
  expect(await read({ returnSecrets: true })).toContain('JWT-SECRET');
});

test('with Continue On Fail, a model sees the error of a login, and no secret', async () => {
  const login = { resource: 'session', operation: 'login', email: 'a@example.com', password: 'S3cret-word' };
  const workflow = createToolWorkflow('tool', login, USERS_TOOL);
  workflow.nodes[2]!.onError = 'continueRegularOutput';
  const run = await env.engine.run(workflow, { input: [{ json: {} }] });
  const { answer } = run.getJson('Agent')[0] as unknown as { answer: string };
  expect(JSON.parse(answer)).toMatchObject([
    { error: expect.stringMatching(/^The e-mail or password of the user is wrong/) },
  ]);
  expect(answer).not.toContain('S3cret-word');
});

test('a model does not see the address of a webhook', async () => {
  const table = env.getTable('Customers');
  const hook = { resource: 'webhook', dataTableId: toLocator(table.id) };
  await env.run({ ...hook, operation: 'subscribe', hookUrl: 'https://example.com/secret-hook' });
  const answer = await readAnswer({ ...hook, operation: 'getAll' });
  expect(answer).toMatchObject([{ hookUrl: '•••', type: 'INSERT' }]);
});

test('a connection is compared by a symbol, and an unknown operator is refused before a look-up', async () => {
  const [customer] = [...env.getTable('Customers').records.values()];
  const orders = [...env.getTable('Orders').records.values()];
  const mine = orders.filter(({ customer: ids }) => (ids as string[]).includes(customer!.id));
  const byId = { filterMode: 'json', filterJson: JSON.stringify({ Customer: { '=': customer!.id } }) };
  const answer = await readAnswer({
    ...readShowcase(byId),
    dataTableId: toLocator(env.getTable('Orders').id),
  });
  expect(answer[0]!._total).toBe(mine.length);
  const unknown = { filterMode: 'json', filterJson: JSON.stringify({ Customer: { equals: customer!.id } }) };
  const { error } = await callTool({
    ...readShowcase(unknown),
    dataTableId: toLocator(env.getTable('Orders').id),
  });
  expect(error).toContain('"Customer" has no operator "equals"');
});

describe('an answer has a bound in all', () => {
  /** From above: o200k_base has 2.4 to 3 characters a token for these answers. */
  const countTokens = (answer = '') => answer.length / 2.4;
  const CHOICES = Array.from({ length: 10_000 }, (_, n) => `choice_${n}: Choice ${n}`);
  let wide: string;
  let chosen: string;
  let jobs: string;
  beforeAll(() => {
    const fields = Array.from({ length: scaleSize(600, 2_000) }, (_, n) => ({
      slug: `f${n}`,
      name: `Field ${n}`,
      type: 'Text' as const,
    }));
    wide = env.service.addTable({ name: 'Wide', fields }).id;
    const many = env.service.addTable({
      name: 'Chosen',
      fields: [
        { slug: 'a', name: 'A', type: 'Select', options: CHOICES },
        { slug: 'b', name: 'B', type: 'Text' },
      ],
    });
    chosen = many.id;
    const table = env.service.addTable({
      name: 'Doomed',
      fields: ['One', 'Two', 'Three'].map((name) => ({
        slug: name.toLowerCase(),
        name,
        type: 'Text' as const,
      })),
    });
    jobs = table.id;
    for (let n = 0; n < 300; n++)
      table.insert({ one: `Text ${n} of a job`, two: `Another text of job ${n}`, three: 'The third one' });
  });

  const CASES: Array<[string, () => object, RegExp]> = [
    [
      'the fields of a table with 10,000 choices',
      () => ({ resource: 'field', operation: 'getAll', dataTableId: toLocator(chosen) }),
      /can be used by its label/,
    ],
    [
      '300 records',
      () => ({
        resource: 'record',
        operation: 'getAll',
        dataTableId: toLocator(jobs),
        filterJson: 'all',
        limit: 300,
      }),
      /^\d+ of 300 items are shown.* filter that matches fewer records/,
    ],
    [
      'a dry run of 300 deletions',
      () => ({
        resource: 'record',
        operation: 'deleteMany',
        dataTableId: toLocator(jobs),
        filterJson: '{"Three": "The third one"}',
        maximum: 300,
      }),
      /^\d+ of 300 items are shown/,
    ],
    [
      'a new record of many fields',
      () => ({
        resource: 'record',
        operation: 'create',
        dataTableId: toLocator(wide),
        columnsJson: JSON.stringify(
          Object.fromEntries(
            Array.from({ length: scaleSize(600, 2_000) }, (_, n) => [`f${n}`, `Value ${n}`]),
          ),
        ),
      }),
      /^Lists and texts are cut/,
    ],
  ];

  test.each(CASES)('%s', async (_name, create, mark) => {
    const [{ answer }, { answer: longer }] = [
      await callTool(create()),
      await callTool({
        ...create(),
        options: { ...(create() as { options?: object }).options, answerTokens: 30_000 },
      }),
    ];
    expect(countTokens(answer)).toBeLessThanOrEqual(2_000);
    expect((JSON.parse(answer!) as Array<{ _cut: string }>)[0]!._cut).toMatch(mark);
    expect(countTokens(longer)).toBeLessThanOrEqual(30_000);
    expect(longer!.length).toBeGreaterThan(answer!.length);
  });
});
