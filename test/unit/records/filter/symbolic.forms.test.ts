import { parseFilterJson } from '../../../../nodes/records';
import { buildFilter } from '../../../../nodes/records/filter/buildFilter';
import { toSymbolicConditions } from '../../../../nodes/records/filter/symbolic';
import { InputError } from '../../../../nodes/service';
import { expectEqual } from '../../../expectEqual';
import { compilePrimary, compileSymbolic } from '../../../service/filter/compile';
import { createShowcase } from '../../service/showcase';

/**
 * A condition means the same in both forms of the service, whatever word names it and whatever its value is. The
 * embedded service evaluates both.
 */
const context = { timeZone: 'UTC', now: new Date('2025-06-15T12:00:00Z'), hasUserLogin: false };
const { stored, access, reports, table } = createShowcase();

for (const { id } of [...stored.records.values()]) stored.delete(id);
for (const [index, text] of ['alpha', 'Alphabet', 'beta', '', 'null'].entries()) {
  for (const date of ['2025-06-01', '2025-06-15', null]) {
    const values = { text, number: [null, 0, 5, 7, 10][index], date, decision_box: index % 2 };
    stored.insert({ ...values, date_time: date && `${date} 09:30:00`, select: ['a', 'b', ''][index % 3] });
  }
}
const records = [...stored.records.values()];

const FIELDS = ['text', 'number', 'date', 'date_time', 'decision_box', 'select'];
const WORDS = [
  ...'= != > < >= <= $eq $ne $gt $gte $lt $lte $in is contains startswith is_blank not_blank'.split(' '),
  'is not',
  'is exact',
  'does not contain',
  'starts with',
  'ends with',
  'is blank',
  'is not blank',
  'is any of',
  'is one of',
  'between',
  'higher than',
  'is after',
  'is on or before',
  'is before',
  'is checked',
  'is unchecked',
];
const VALUES: unknown[] = [
  'alpha',
  'alph%',
  5,
  '2025-06-15',
  true,
  false,
  'false',
  [0, 7],
  [7, 0],
  ['alpha', 'beta'],
  '2025-06-01, 2025-06-10',
  'today',
];

/** Returns the IDs of the matching records, or the error of an invalid condition. */
function find(select: () => (record: (typeof records)[number]) => boolean): string | Error {
  reports.length = 0;
  try {
    const matches = select();
    const found = records.filter(matches).map(({ id }) => id);
    return reports.length > 0 ? reports.join() : found.join();
  } catch (error) {
    expectEqual(error instanceof InputError, true);
    return error as InputError;
  }
}

const toJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const findPrimary = (condition: object) =>
  find(() => {
    const filter = buildFilter(parseFilterJson(condition), table, context);
    return compilePrimary(toJson(filter), { ...access, table: stored })!;
  });

const findSymbolic = (condition: object) =>
  find(() => {
    const items = toSymbolicConditions(buildFilter(parseFilterJson(condition), table, context), table);
    return compileSymbolic(toJson({ items }), { ...access, table: stored })!;
  });

test.each(FIELDS)('%s: both forms find the same records, or the symbolic form refuses', (field) => {
  const different: object[] = [];
  let compared = 0;
  for (const word of WORDS) {
    for (const value of VALUES) {
      const condition = { [field]: { [word]: value } };
      const [primary, symbolic] = [findPrimary(condition), findSymbolic(condition)];
      if (primary instanceof Error || symbolic instanceof Error) continue;
      compared++;
      if (primary !== symbolic) different.push({ condition, primary, symbolic });
    }
  }
  expect(different).toEqual([]);
  expect(compared).toBeGreaterThan(20);
});
