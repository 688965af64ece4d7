import fc from 'fast-check';
import { createSeed, scaleRuns } from '../../../randomness';
import { listViolations, openService } from '../client';

interface Row {
  id: string;
  label: string;
  size: number | null;
}
interface Group {
  condition: string;
  items: { field_id: 'label' | 'size'; operator: string; val?: string | number }[];
  child: Group[];
}

const label = fc.constantFrom('red', 'Red', 'green', 'blue', '');
const size = fc.integer({ min: -2, max: 3 });
const item: fc.Arbitrary<Group['items'][number]> = fc.oneof(
  fc.record({
    field_id: fc.constant('label' as const),
    operator: fc.constantFrom('is', 'is not', 'is exact', 'contains', 'starts with'),
    val: label,
  }),
  fc.record({
    field_id: fc.constant('size' as const),
    operator: fc.constantFrom('is', 'is not', 'higher than', 'lower than or equal to'),
    val: size,
  }),
  fc.record({
    field_id: fc.constantFrom('label' as const, 'size' as const),
    operator: fc.constant('is blank'),
  }),
);
const { tree } = fc.letrec<{ tree: Group }>((tie) => ({
  tree: fc.record({
    condition: fc.constantFrom('AND', 'OR', 'any', 'all'),
    items: fc.array(item, { maxLength: 3 }),
    child: fc.oneof(
      { depthSize: 'small' },
      fc.constant<Group[]>([]),
      fc.array(tie('tree'), { maxLength: 2 }),
    ),
  }),
}));

/** The oracle. Returns undefined for a group without conditions. */
function matchesGroup(group: Group, row: Row): boolean | undefined {
  const parts = [
    ...group.items.map((each) => matchesItem(each, row)),
    ...group.child.map((each) => matchesGroup(each, row)),
  ];
  const said = parts.filter((part) => part !== undefined);
  if (said.length === 0) return undefined;
  return group.condition === 'OR' || group.condition === 'any' ? said.includes(true) : !said.includes(false);
}

function matchesItem({ field_id, operator, val }: Group['items'][number], row: Row): boolean {
  const value = row[field_id];
  if (operator === 'is blank') return value === null || value === '';
  if (operator === 'is not') return !matchesItem({ field_id, operator: 'is', val }, row);
  if (typeof val === 'number') {
    if (typeof value !== 'number') return false;
    return { is: value === val, 'higher than': value > val }[operator] ?? value <= val;
  }
  const [text, wanted] = [String(value), String(val)];
  if (operator === 'is exact') return text === wanted;
  const [a, b] = [text.toLowerCase(), wanted.toLowerCase()];
  return { is: a === b, contains: a.includes(b) }[operator] ?? a.startsWith(b);
}

test('random trees select what an in-memory reading of them selects', async () => {
  const { service, api } = await openService({ sample: 'empty' });
  const table = service.addTable({
    name: 'Trees',
    fields: [
      { name: 'Label', type: 'Text' },
      { name: 'Size', type: 'Number' },
    ],
  });
  for (const label of ['red', 'Red', 'redder', 'green', '']) {
    for (const size of [-2, 0, 1, null]) table.insert({ label, size });
  }
  const rows = [...table.records.values()] as unknown as Row[];
  await fc.assert(
    fc.asyncProperty(tree, async (filters) => {
      const { data } = await api.post(`/data-tables/${table.id}/records`, { filters, limit: 200 });
      const expected = rows.filter((row) => matchesGroup(filters, row) ?? true).map(({ id }) => id);
      expect(data.items.map(({ id }: Row) => id)).toEqual(expected);
    }),
    { numRuns: scaleRuns(6_000), seed: createSeed() },
  );
  expect(listViolations(service)).toEqual([]);
  await service.stop();
});
