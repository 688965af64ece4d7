import fc from 'fast-check';
import type { TableEvent } from '../../../nodes/RecordDatabaseTrigger/authenticate';
import { isRefusal, parseDelivery } from '../../../nodes/RecordDatabaseTrigger/parseDelivery';
import type { Delivery } from '../../../nodes/RecordDatabaseTrigger/staticData';
import { createSeed, scaleRuns } from '../../randomness';

const SOURCE: TableEvent = { tableId: 't1', event: 'UPDATE' };
const toBytes = (text: string) => new TextEncoder().encode(text);
const parseForm = (text: string) => parseDelivery(toBytes(text), SOURCE, 7);
const parse = (body: unknown) => parseForm(JSON.stringify(body));
const BARE = { ...SOURCE, tableName: '', timestamp: '', receivedAt: 7 };

describe('the documented body', () => {
  const event = {
    event_type: 'UPDATE',
    table_id: 't1',
    table_name: 'T',
    record: { id: 5, a: 1 },
    timestamp: '2025-01-01T00:00:00Z',
  };

  test('in full', () => {
    expect(parse(event)).toEqual({
      event: 'UPDATE',
      tableId: 't1',
      tableName: 'T',
      recordId: '5',
      record: event.record,
      timestamp: event.timestamp,
      receivedAt: 7,
    });
  });

  test.each([{}, { event_type: 'UPDATE' }, { table_id: 't1' }, { table_id: null }])(
    'without some of its parts: %j',
    (some) => {
      const record = { id: 'r1' };
      expect(parse({ ...some, record })).toEqual({ ...BARE, recordId: 'r1', record });
    },
  );

  test.each([
    ['"event_type" is not INSERT, UPDATE or DELETE', { ...event, event_type: 'update' }],
    ['"event_type" is not INSERT, UPDATE or DELETE', { ...event, event_type: ['INSERT'] }],
    ['the record has no id', { ...event, record: [] }],
    ['the record has no id', { ...event, record: null }],
    ['the record has no id', { ...event, record: {} }],
    ['the record has no id', { ...event, record: { id: [5] } }],
    ['the record has no id', {}],
    ['the body is neither a JSON object nor a form', [event]],
    ['the body is neither a JSON object nor a form', 5],
    ['the record has no id', null],
    ['the body is neither a JSON object nor a form', 'INSERT'],
  ])('%s: %j', (reason, body) => {
    expect(parse(body)).toEqual({ status: 400, reason });
  });

  test.each([{ event_type: 'INSERT' }, { table_id: 't2' }])('of another event or table: %j', (other) => {
    const reason = 'this address is for another table or event';
    expect(parse({ ...event, ...other })).toEqual({ status: 401, reason });
  });

  test.each([
    [100, 400],
    [101, 413],
  ])('%i bytes: %i', (bytes, status) => {
    const refusal = parseDelivery(new Uint8Array(bytes), SOURCE, 7, 100);
    expect(refusal).toMatchObject({ status });
    expect(isRefusal(refusal)).toBe(true);
  });
});

describe('a flat body', () => {
  test('as JSON', () => {
    const record = { id: 'r1', field_40: 'Lamp', field_42: { city: 'Leeds' } };
    expect(parse(record)).toEqual({ ...BARE, recordId: 'r1', record });
  });

  test.each([
    { event_type: 'Concert' },
    { record: 'LP' },
    { record: { id: 'r2' } },
    { event_type: 'Concert', record: ['r2'], table_id: 't2' },
  ])('of a table whose fields have the keys of the documented body: %j', (fields) => {
    const record = { id: 'r1', ...fields };
    expect(parse(record)).toEqual({ ...BARE, recordId: 'r1', record });
  });

  test('as a form', () => {
    expect(parseForm('id=b6WQk9NrBZ&field_40=Lamp&field_41[0]=K2ejq1Rw9B')).toEqual({
      ...BARE,
      recordId: 'b6WQk9NrBZ',
      record: { id: 'b6WQk9NrBZ', field_40: 'Lamp', field_41: ['K2ejq1Rw9B'] },
    });
  });

  test('a form with a key that is repeated 200,000 times does not stop the process', () => {
    const { record } = parseForm(`id=r${'&f=1'.repeat(200_000)}`) as Delivery;
    expect(record.f).toHaveLength(200_000);
  });

  test.each<[string, unknown]>([
    ['field_1=a%20b+c%26d%3D%C3%A9', 'a b c&d=é'],
    ['field_1=', ''],
    ['field_1', ''],
    ['field_1%5B0%5D=a&field_1%5B1%5D=b', ['a', 'b']],
    ['field_1[0]=a', ['a']],
    ['field_1[10]=l&field_1[2]=c', ['c', 'l']],
    ['field_1[]=a&field_1[]=b', ['a', 'b']],
    ['field_1=a&field_1=b', ['a', 'b']],
    ['field_1[city]=Leeds&field_1[zip]=', { city: 'Leeds', zip: '' }],
    ['field_1[0][id]=x&field_1[0][val]=Acme', [{ id: 'x', val: 'Acme' }]],
    ['field_1[__proto__][x]=1', Object.fromEntries([['__proto__', { x: '1' }]])],
  ])('reads the form %s', (text, expected) => {
    const { record } = parseForm(`id=r&${text}`) as Delivery;
    expect(record.field_1).toEqual(expected);
  });

  test.each(['field_1[0=a', 'field_1]=a', '[0]=a', 'a[0]b=a', 'a[1][2][3][4]=a'])(
    'takes the name %s as it is',
    (text) => {
      const { record } = parseForm(`id=r&${text}`) as Delivery;
      expect(record[text.slice(0, -2)]).toBe('a');
    },
  );

  test('a map with number keys is a list, also in JSON (evidence: a multiple choice with several values)', () => {
    const { record } = parse({
      id: 'r',
      a: { 0: 'x', 1: 'y' },
      b: {},
      c: { 1: 'x', start: 'y' },
    }) as Delivery;
    expect(record).toEqual({ id: 'r', a: ['x', 'y'], b: {}, c: { 1: 'x', start: 'y' } });
  });

  test('of more than 1,000 names, where n8n itself stops reading, is read to its end', () => {
    const ids = Array.from({ length: 5_000 }, (_, n) => `r${n}`);
    const { record } = parseForm(ids.map((id, n) => `field_1[${n}]=${id}`).join('&') + '&id=r') as Delivery;
    expect(record.field_1).toEqual(ids);
  });
});

/** A form as PHP builds it: `a[0]=x`, `a[city]=Leeds`. An empty list or object has no pair. */
const encodeForm = (value: unknown, name: string): Array<[string, string]> =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => encodeForm(inner, `${name}[${key}]`))
    : [[name, String(value)]];

const RUNS = scaleRuns(2_000);

describe(`${RUNS} random bodies`, () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'Ä', '0', ' ', '+', '&', '=', '[', ']', '%', '"', '\n', '😀'),
  });
  const slug = fc.constantFrom('field_1', 'field_2', 'field_3', 'constructor', '__proto__');
  const part = fc.constantFrom('city', 'start', 'constructor', '__proto__');
  const value = fc.oneof(
    text,
    fc.array(text, { minLength: 1, maxLength: 12 }),
    fc.dictionary(part, text, { minKeys: 1 }),
    fc.array(fc.dictionary(fc.constantFrom('id', 'val'), text, { minKeys: 1 }), {
      minLength: 1,
      maxLength: 3,
    }),
  );

  test('a form has the values of the same record in JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(slug, value), text, (values, id) => {
        const record = { ...values, id: `r${id}` };
        const pairs = Object.entries(record).flatMap(([key, one]) => encodeForm(one, key));
        const form = parseForm(new URLSearchParams(pairs).toString());
        expect(form).toEqual({ ...BARE, recordId: record.id, record });
        expect(parse(record)).toEqual(form);
      }),
      { numRuns: RUNS, seed: createSeed() },
    );
  });

  test('never throw, and are a delivery only with an ID', () => {
    const name = fc.oneof(text, fc.constantFrom('id', 'id[]', 'id[0]', 'record', 'record[id]', 'event_type'));
    const body = fc.oneof(
      fc.array(fc.tuple(name, text)).map((pairs) => new URLSearchParams(pairs).toString()),
      text,
      fc.json(),
    );
    fc.assert(
      fc.property(body, (given) => {
        const read = parseForm(given);
        const isRead = isRefusal(read) ? read.status === 400 || read.status === 401 : read.recordId !== '';
        expect(isRead).toBe(true);
      }),
      { numRuns: RUNS, seed: createSeed() },
    );
  });

  test.each(['[', '{"a":'])('a body of 2 MB of %s is refused', (start) => {
    expect(parseForm(start.repeat(2_000_000 / start.length))).toMatchObject({ status: 400 });
    const nested = start.repeat(100_000) + '1' + (start === '[' ? ']' : '}').repeat(100_000);
    expect(parseForm(nested)).toMatchObject({ status: 400 });
  });
});
