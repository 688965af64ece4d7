import fc from 'fast-check';
import { createSeed, scaleRuns } from '../../randomness';
import type { Table } from '../../service';
import { createToolWorkflow } from '../agents/tools';
import { createRecordWorkflow, pollOnce } from '../polling/support';
import { AUTO_MAP, getOutput, toLocator } from '../support/testEnvironment';
import { useTestEnvironment } from '../support/useTestEnvironment';
import { createTriggerWorkflow } from '../trigger/support';

/**
 * Names and choices that differ in signs, case, width or composition only, wherever a workflow or a model gives them. The
 * oracle is the position of the exact name.
 */
const FIELDS = [
  'Price €',
  'Price $',
  'Price',
  'PRICE',
  '!active',
  'active',
  '<18',
  '>18',
  '-1',
  '1',
  'Ａ',
  'A',
  'a',
  'A+',
  'A++',
  'é',
  '価格',
];
const CHOICES = [
  'A',
  'A+',
  'A++',
  'a',
  'Ａ',
  '<18',
  '>18',
  '18',
  '-1',
  '1',
  'C++',
  'C#',
  '!active',
  'active',
  'é',
];
/** Other spellings of one name alone: composition, case, white space. Those of no name, and of several. */
const SAME = [
  ['e\u0301', 'é'],
  [' É ', 'é'],
  ['price €', 'Price €'],
  ['!Active', '!active'],
  [' a++ ', 'A++'],
] as const;
const OTHER = ['A-', '18+', '=18', '+1', 'price', 'Price £', '?active', 'Active!', 'ｂ', '++', '-', 'A +'];

const env = useTestEnvironment({ sample: 'empty' });
let table: Table;
beforeAll(() => {
  table = env.service.addTable({
    name: 'Signs',
    fields: [
      { name: 'Label', type: 'Text', slug: 'label', unique: true },
      ...FIELDS.map((name, index) => ({ name, type: 'Number' as const, slug: `n${index}x` })),
      {
        name: 'Grade',
        type: 'Select',
        slug: 'grade',
        options: CHOICES.map((label, index) => `v${index}: ${label}`),
      },
    ],
  });
  for (const [index] of FIELDS.entries())
    table.insert({ label: `record ${index}`, [`n${index}x`]: 7, grade: `v${index % CHOICES.length}` });
});
beforeEach(() => {
  for (const { id, label } of [...table.records.values()])
    if (!String(label).startsWith('record')) table.delete(id);
});

const findSame = (name: string) => SAME.find(([other]) => other === name)?.[1] ?? name;
const field = fc.constantFrom(...FIELDS, ...SAME.map(([other]) => other), ...OTHER);
const choice = fc.constantFrom(...CHOICES, ' É ', '!ACTIVE', 'e\u0301', ...OTHER);
const check = <T>(arbitrary: fc.Arbitrary<T>, run: (given: T) => Promise<void>, count = 300) =>
  fc.assert(fc.asyncProperty(arbitrary, run), { numRuns: scaleRuns(count), seed: createSeed() });

/** The slug that a name means; undefined for a name that must be refused. */
const findSlug = (name: string) => {
  const index = FIELDS.indexOf(findSame(name));
  return index < 0 ? undefined : `n${index}x`;
};
const SAME_CHOICE = new Map([
  ['!ACTIVE', '!active'],
  [' É ', 'é'],
  ['e\u0301', 'é'],
]);
const findValue = (label: string) => {
  const index = CHOICES.indexOf(SAME_CHOICE.get(label) ?? label);
  return index < 0 ? undefined : `v${index}`;
};

const json = (filter: object) => ({ filterMode: 'json', filterJson: JSON.stringify(filter) });
/** n8n evaluates a text that begins with "=", so each value is given as an expression. */
const toExpression = (value: unknown) => `={{ ${JSON.stringify(value)} }}`;
const form = (name: string, operator: string, value: unknown) => ({
  filterMode: 'manual',
  conditions: { items: [{ field: toExpression(name), operator, value: toExpression(value) }] },
});

/** The labels of the records that an operation returns, or undefined if it is refused. */
async function readLabels(parameters: object, operation = 'getAll'): Promise<unknown[] | undefined> {
  const run = await env.runRecordOperation(operation, table, { returnAll: true, ...parameters });
  return run.error ? undefined : getOutput(run).map(({ label }) => label);
}

async function readAsTool(parameters: object): Promise<unknown[] | undefined> {
  const base = { resource: 'record', operation: 'getAll', dataTableId: toLocator(table.id), limit: 50 };
  const run = await env.engine.run(createToolWorkflow('tool', { ...base, ...parameters }), {
    input: [{ json: {} }],
  });
  const { answer } = (run.getJson('Agent')[0] ?? {}) as { answer?: string };
  return answer === undefined
    ? undefined
    : (JSON.parse(answer) as object[]).flatMap((record) => ('label' in record ? [record.label] : []));
}

const labelOf = (slug: string | undefined) => slug && [`record ${slug.slice(1, -1)}`];
const labelsOfChoice = (value: string | undefined) =>
  value && [...table.records.values()].filter(({ grade }) => grade === value).map(({ label }) => label);

test('filters: the form, JSON in both forms and tools find the field with the name, or refuse it', async () => {
  await check(field, async (name) => {
    const expected = labelOf(findSlug(name));
    expect([name, await readLabels(form(name, 'is', '7'))]).toEqual([name, expected]);
    expect([name, await readLabels(json({ [name]: 7 }))]).toEqual([name, expected]);
    expect([name, await readLabels(json([{ field_id: name, operator: 'is', val: 7 }]))]).toEqual([
      name,
      expected,
    ]);
    expect([name, await readLabels(json({ [name]: { '>': 6 } }))]).toEqual([name, expected]);
    expect([name, await readAsTool(json({ [name]: 7 }))]).toEqual([name, expected]);
  });
});

test('choices: filters and columns take the choice with the label, or refuse it', async () => {
  await check(choice, async (label) => {
    const value = findValue(label);
    const found = await readLabels(form('grade', 'is exact', label));
    expect([label, found]).toEqual([label, labelsOfChoice(value)]);
    const listed = await readLabels(json({ Grade: { 'is any of': [label] } }));
    const missed = listed && (found ?? ['no refusal']).filter((one) => !listed.includes(one));
    expect([label, missed]).toEqual([label, found && []]);
    const run = await env.runRecordOperation('create', table, { columns: AUTO_MAP }, [
      { label: 'new', Grade: label },
    ]);
    const stored = [...table.records.values()].find(({ label: text }) => text === 'new');
    expect([label, stored?.grade]).toEqual([label, value]);
    expect(run.error === undefined).toBe(value !== undefined);
    if (stored) table.delete(stored.id);
  });
});

test('columns, match columns and sort rules take the field with the name, or refuse it', async () => {
  await check(field, async (name) => {
    const slug = findSlug(name);
    await env.runRecordOperation('create', table, { columns: AUTO_MAP }, [{ label: 'new', [name]: 3 }]);
    const stored = [...table.records.values()].find(({ label }) => label === 'new');
    expect([name, stored && Object.keys(stored).find((key) => stored[key] === 3)]).toEqual([name, slug]);
    if (stored) table.delete(stored.id);

    const upsert = { columns: { ...AUTO_MAP, matchingColumns: [toExpression(name)] } };
    const before = structuredClone([...table.records.values()]);
    const run = await env.runRecordOperation('upsert', table, upsert, [{ [name]: 7, grade: 'v0' }]);
    const changed = [...table.records.values()].filter(
      (record, index) => record.grade !== before[index]?.grade,
    );
    expect(table.records.size).toBe(before.length);
    expect(run.error === undefined).toBe(slug !== undefined);
    expect(changed.every((record) => slug !== undefined && record[slug] === 7)).toBe(true);
    expect(
      slug === undefined || [...table.records.values()].find((record) => record[slug] === 7)?.grade === 'v0',
    ).toBe(true);
    for (const record of before) table.update(record.id, { grade: record.grade });

    const sort = { sort: { rules: [{ field: name, direction: 'desc' }] } };
    expect([name, (await readLabels(sort))?.slice(0, 1)]).toEqual([name, labelOf(slug)]);
  });
});

const startTrigger = (filter: object) =>
  env.engine.activate(createTriggerWorkflow(env, ['Signs'], ['INSERT'], filter));
const startPolling = (filter: object) =>
  env.engine.activate(createRecordWorkflow(table, { detection: 'snapshot', ...filter }));

test.each(['price', 'Price £'])('both triggers refuse %s', async (name) => {
  const filter = json({ [name]: 9 });
  await expect(startTrigger(filter)).rejects.toThrow(/no field|several fields/);
  await expect(startPolling(filter).then(pollOnce)).rejects.toThrow(/no field|several fields/);
});

test.each([
  ['Price €', 'n0x'],
  ['PRICE', 'n3x'],
  ['!Active', 'n4x'],
  ['A++', 'n14x'],
])('both triggers: %s is %s', async (name, slug) => {
  const filter = json({ [name]: 9 });
  const trigger = await startTrigger(filter);
  const polling = await startPolling(filter);
  await pollOnce(polling);
  for (const [index] of FIELDS.entries()) table.insert({ label: `event ${index}`, [`n${index}x`]: 9 });
  await env.service.waitForDeliveries();
  await trigger.waitForExecutions(1);
  const runs = await trigger.waitUntilIdle();
  const readLabel = ({ label }: Record<string, unknown>) => String(label);
  const expected = [`event ${slug.slice(1, -1)}`];
  expect(runs.flatMap((run) => run.getJson('Trigger').map(readLabel))).toEqual(expected);
  expect((await pollOnce(polling))?.map(readLabel)).toEqual(expected);
  await trigger.deactivate();
  await polling.deactivate();
});
