import fc from 'fast-check';
import { DateTime } from 'luxon';
import { getKind, type PayloadEntries } from '../../../../nodes/records';
import { isServiceFile } from '../../../../nodes/records/fields/file';
import { encodeValue } from '../../../../nodes/records/fields/recordValues';
import { createRecordBody } from '../../../../nodes/records/writing/payload';
import { toFormParts } from '../../../../nodes/records/writing/payload';
import { FormBody, type InputError } from '../../../../nodes/service';
import { expectEqual } from '../../../expectEqual';
import { createSeed, scaleRuns } from '../../../randomness';
import { readPayload } from '../../../service/data/payload';
import { createShowcase } from '../../service/showcase';

const RUNS = { numRuns: scaleRuns(10_000), seed: createSeed() };

const { app, stored, access, reports, table } = createShowcase();
const context = { timeZone: 'Asia/Kolkata' };

const listIds = (name: string) => [...app.tables.find((one) => one.name === name)!.records.keys()];
const getField = (slug: string) => table.requireWritableRef(slug, 'test').field;
const readEntries = (entries: PayloadEntries, form: boolean) => {
  reports.length = 0;
  const target = { table };
  const body = createRecordBody(entries, target);
  const parts = new Map<string, unknown>();
  for (const [key, value] of toFormParts(entries, target)) {
    const before = parts.get(key);
    parts.set(key, before === undefined ? value : [before, value].flat());
  }
  const isForm = form || body instanceof FormBody;
  const given: Array<[string, unknown]> = isForm ? [...parts] : Object.entries(body);
  const { values, errors } = readPayload(stored, { form: isForm, entries: given }, access);
  return { values, errors, reports: [...reports] };
};

const text = fc.string();
const moment = fc
  .date({ min: new Date('1990-01-01T00:00:00Z'), max: new Date('2090-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => new Date(Math.floor(date.getTime() / 1000) * 1000));
const asMoment = fc.tuple(moment, fc.constantFrom('js', 'iso', 'luxon', 'offset')).map(([date, as]) => ({
  date,
  given:
    as === 'js'
      ? date
      : as === 'iso'
        ? date.toISOString()
        : as === 'luxon'
          ? DateTime.fromJSDate(date)
          : DateTime.fromJSDate(date, { zone: 'America/Bogota' }).toISO(),
}));
const formatLocal = (date: Date, format: string) =>
  DateTime.fromJSDate(date, { zone: context.timeZone }).toFormat(format);
const letter = fc.constantFrom('a', 'b', 'c', 'Letter A', 'letter b', 'LETTER C');
const toLetterValue = (one: string) => one.slice(-1).toLowerCase();

/** slug → a value in the notations that n8n may pass, and the value that must be stored. */
const kinds: Array<[slug: string, fc.Arbitrary<{ given: unknown; stored: unknown }>]> = [
  ['text', fc.oneof(text, fc.integer(), fc.boolean()).map((given) => ({ given, stored: String(given) }))],
  ['long_text', text.map((given) => ({ given, stored: given }))],
  ['rich_text', text.map((given) => ({ given, stored: given }))],
  ['email', fc.emailAddress().map((given) => ({ given, stored: given }))],
  [
    'number',
    fc
      .oneof(
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
        fc.constant(0),
      )
      .chain((n) =>
        // A number beyond the safe integers may have been rounded before, so only its text is accepted.
        fc
          .constantFrom(...(Number.isInteger(n) && !Number.isSafeInteger(n) ? [] : [n]), String(n))
          .map((given) => ({ given, stored: n })),
      ),
  ],
  [
    'currency',
    fc.integer({ min: -1e9, max: 1e9 }).map((cents) => ({ given: cents / 100, stored: cents / 100 })),
  ],
  [
    'decision_box',
    fc.constantFrom(
      ...[true, 1, '1', 'true', 'Yes'].map((given) => ({ given, stored: 1 })),
      ...[false, 0, '0', 'no', null, ''].map((given) => ({ given, stored: 0 })),
    ),
  ],
  ['date', asMoment.map(({ date, given }) => ({ given, stored: formatLocal(date, 'yyyy-MM-dd') }))],
  ['time', asMoment.map(({ date, given }) => ({ given, stored: formatLocal(date, 'HH:mm:ss') }))],
  [
    'date_time',
    asMoment.map(({ date, given }) => ({ given, stored: formatLocal(date, 'yyyy-MM-dd HH:mm:ss') })),
  ],
  [
    'calendar',
    fc.tuple(moment, moment).map(([a, b]) => {
      const [start, end] = [a, b].sort((x, y) => x.getTime() - y.getTime()) as [Date, Date];
      return {
        given: { start, end: end.toISOString() },
        stored: { start: formatLocal(start, 'yyyy-MM-dd'), end: formatLocal(end, 'yyyy-MM-dd') },
      };
    }),
  ],
  [
    'name',
    fc.record({ title: text, first_name: text, last_name: text }).map((given) => ({ given, stored: given })),
  ],
  ['address', fc.record({ city: text, zip: text, country: text }).map((given) => ({ given, stored: given }))],
  ...['select', 'radio', 'dropdown'].map(
    (slug): [string, fc.Arbitrary<{ given: unknown; stored: unknown }>] => [
      slug,
      letter.map((given) => ({ given, stored: toLetterValue(given) })),
    ],
  ),
  ...['multi_select', 'checkbox'].map((slug): [string, fc.Arbitrary<{ given: unknown; stored: unknown }>] => [
    slug,
    fc
      .uniqueArray(letter, { minLength: 1, selector: toLetterValue })
      .chain((list) =>
        fc
          .constantFrom<unknown>(list, list.join(', '))
          .map((given) => ({ given, stored: list.map(toLetterValue) })),
      ),
  ]),
  ['connection_one', fc.constantFrom(...listIds('Customers')).map((id) => ({ given: id, stored: [id] }))],
  [
    'connection_many',
    fc.uniqueArray(fc.constantFrom(...listIds('Products')), { minLength: 1, maxLength: 5 }).chain((list) =>
      fc
        .constantFrom<unknown>(
          list,
          list.join(','),
          list.map((id) => ({ id, val: 'x' })),
        )
        .map((given) => ({ given, stored: list })),
    ),
  ],
];

test.each(kinds)(
  '%s: the service stores the value that n8n passes, as JSON and as a form',
  (slug, values) => {
    fc.assert(
      fc.property(values, ({ given, stored: expected }) => {
        const entries = encodeValue(given, getField(slug), context);
        for (const form of [false, true]) {
          const read = readEntries(entries, form);
          expectEqual(
            { form, errors: read.errors, reports: read.reports },
            { form, errors: {}, reports: [] },
          );
          expectEqual(read.values[slug], expected);
        }
        // A stored value is accepted in the shape in which it was read, and does not change.
        const stored = readEntries(entries, false).values[slug];
        if (getKind(getField(slug)).holdsFiles && isServiceFile(stored)) return;
        if (typeof stored === 'number' && !(Math.abs(stored) <= Number.MAX_SAFE_INTEGER)) return;
        const again = encodeValue(stored, getField(slug), context);
        expectEqual(readEntries(again, false).values[slug], expected);
      }),
      RUNS,
    );
  },
);

const CLEARED: Record<string, unknown> = {
  text: '', email: '', number: null, currency: null, decision_box: 0, date: null, time: null, date_time: null,
  select: '', multi_select: [], connection_one: [], connection_many: [],
}; // prettier-ignore

test.each(Object.entries(CLEARED))('%s is cleared by null and by the empty string', (slug, expected) => {
  for (const blank of [null, '']) {
    const read = readEntries(encodeValue(blank, getField(slug), context), false);
    expect(read).toEqual({ values: { [slug]: expected }, errors: {}, reports: [] });
  }
});

/** Returns the error of a value that is refused. */
function refuse(value: unknown, slug: string): { message: string; description: string } {
  try {
    encodeValue(value, getField(slug), context);
  } catch (error) {
    return error as InputError;
  }
  throw new Error(`accepted ${JSON.stringify(value)}`);
}

test.each([
  ['number', ['x', {}, NaN, Infinity, [1]]],
  ['date', ['soon', 5, {}, new Date(NaN), '2025-02-30']],
  ['select', ['d', {}, ['a', 'b']]],
  ['multi_select', ['a, d', [{}]]],
  ['email', ['ada', 5, 'a@b@c', 'a b@c']],
  ['decision_box', ['maybe', 2, {}]],
  ['name', ['Ada', 5, { nickname: 'A' }]],
  ['connection_one', [{}, ['1', '2'], [null]]],
  ['file', ['not read', 5]],
])('%s refuses invalid values with the field, the value and an example', (slug, values) => {
  const { name, type } = getField(slug);
  for (const value of values) {
    const { message, description } = refuse(value, slug);
    expect([value, message]).toEqual([value, expect.stringContaining(`"${name}" cannot take`)]);
    expect(description).toContain(`is of the type ${type}.`);
    expect(description).toMatch(/A valid value:|Its choices are:/);
  }
});
