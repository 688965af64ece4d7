import fc from 'fast-check';
import { DateTime } from 'luxon';
import { encodeRecordValues, parseFilterJson, Table } from '../../../../nodes/records';
import { buildFilter } from '../../../../nodes/records/filter/buildFilter';
import { InputError } from '../../../../nodes/service';
import { createSeed, scaleRuns } from '../../../randomness';
import { parseField } from './fieldTools';

/**
 * What is sent is what was given, or nothing is. n8n parses the JSON of an item before the node sees it, so a number of many
 * digits has lost some of them by then: two order numbers are then one text, and one record's key.
 */

const RUNS = { numRuns: scaleRuns(8_000), seed: createSeed() };
const BERLIN = { timeZone: 'Europe/Berlin' };

const TABLE = new Table(
  't',
  ['Text', 'Phone', 'Long Text', 'Number', 'Select', 'Multi-select', 'Name', 'Percent', 'User', 'Link'].map(
    (type) => parseField({ slug: type.toLowerCase().replace(/\W/g, '_'), name: type, type }),
  ),
);

/** Encodes a value for a field, or returns undefined if it is refused. */
const encode = (values: Record<string, unknown>): unknown[] | undefined => {
  try {
    return encodeRecordValues(values, TABLE, BERLIN).map(([, sent]) => [sent].flat()[0]);
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return undefined;
  }
};

/** The comparison value that a filter sends. Undefined if it is refused. */
const compare = (field: string, operator: string, value: unknown): unknown => {
  try {
    const tree = parseFilterJson({ [field]: { [operator]: value } });
    const context = { ...BERLIN, now: new Date(0), hasUserLogin: false };
    return buildFilter(tree, TABLE, context).items[0]?.val;
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return undefined;
  }
};

const digits = fc
  .tuple(fc.constantFrom('', '-'), fc.integer({ min: 1, max: 9 }), fc.stringMatching(/^\d{0,24}$/))
  .map(([sign, first, more]) => `${sign}${first}${more}`);

const listSent = (value: unknown): Array<[where: string, sent: unknown]> => [
  ...['text', 'phone', 'long_text', 'number', 'select', 'multi_select', 'percent', 'user', 'link'].map(
    (slug): [string, unknown] => [slug, encode({ [slug]: value })?.[0]],
  ),
  ['name', encode({ name: { first_name: value } })?.[0]],
  ['name[first_name]', encode({ 'name[first_name]': value })?.[0]],
  ['link object', encode({ link: { link: value } })?.[0]],
  ...['is', 'contains', 'does not contain', 'starts with'].flatMap((operator): Array<[string, unknown]> => [
    [`text ${operator}`, compare('text', operator, value)],
    [`select ${operator}`, compare('select', operator, value)],
  ]),
];

test('an integer has the digits of its JSON in each field and filter, or it is refused', () => {
  fc.assert(
    fc.property(digits, (json) => {
      for (const [where, sent] of listSent(JSON.parse(json)))
        expect([where, sent === undefined ? json : BigInt(String(sent)).toString()]).toEqual([where, json]);
    }),
    RUNS,
  );
});

test('a text is sent as it was given, or it is refused where half of a character has no bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(), (whole, at) => {
      for (const given of [whole, `a${whole}`.slice(0, at % (whole.length + 2))]) {
        if (given.trim() === '') continue;
        for (const [where, sent] of listSent(given).filter(([name]) => !/number|user|select/.test(name))) {
          const isCut = Buffer.from(given, 'utf8').toString('utf8') !== given;
          // A part of a Name or a Link may be JSON text.
          if (/link|name/.test(where) && given.trimStart().startsWith('{')) continue;
          // A text that shows nothing is no value of a filter.
          if (/ /.test(where) && sent === undefined) continue;
          expect([where, sent]).toEqual([where, isCut ? undefined : given]);
        }
      }
    }),
    RUNS,
  );
});

test.each([Number.NaN, 1 / 0, -1 / 0])('%p, of a calculation that failed, is sent nowhere', (value) => {
  for (const sent of listSent(value)) expect(sent).toEqual([sent[0], undefined]);
});

test('a time without an offset is sent as its clock shows it, on the days on which clocks change too', () => {
  const zone = fc.constantFrom(
    'Europe/Berlin',
    'America/New_York',
    'Africa/Cairo',
    'America/Santiago',
    'Australia/Lord_Howe',
  );
  const minute = fc
    .integer({ min: 0, max: 2 * 366 * 24 * 60 })
    .map((n) => DateTime.utc(2024).plus({ minutes: n }));
  const changing = fc
    .tuple(
      fc.constantFrom('2025-03-30', '2025-03-09', '2025-04-25', '2025-09-07', '2025-10-05', '2025-10-26'),
      fc.nat(1439),
    )
    .map(([day, n]) => DateTime.fromISO(day, { zone: 'utc' }).plus({ minutes: n }));
  const form = fc.constantFrom(
    "yyyy-MM-dd'T'HH:mm:ss",
    "yyyy-MM-dd'T'HH:mm",
    'yyyy-MM-dd HH:mm',
    "yyyyMMdd'T'HHmmss",
  );
  const fields = ['Date-Time', 'Date', 'Date Range'].map((type) =>
    parseField({ slug: type.toLowerCase().replace(/\W/g, '_'), type }),
  );
  const dates = new Table('d', fields);
  fc.assert(
    fc.property(zone, fc.oneof(minute, changing), form, (timeZone, moment, format) => {
      const given = moment.toFormat(format);
      const values = { date_time: given, date: given, date_range: { start: given } };
      const sent = encodeRecordValues(values, dates, { timeZone }).map(([, value]) => value);
      const shown = moment.toFormat('yyyy-MM-dd HH:mm:ss');
      expect([given, sent]).toEqual([given, [shown, moment.toISODate(), shown]]);
    }),
    RUNS,
  );
});
