import { describeLostValues, selectValuesToWrite, Table } from '../../../../nodes/records';
import { createTable, table } from './readingTable';

const ADA = { id: 'r1', val: 'Ada' };

type Form = Parameters<typeof selectValuesToWrite>[2];

const readObject = (values: object, of = table, notation: Form['notation'] = 'detect') =>
  selectValuesToWrite({ ...values }, of, { as: 'object', notation });

const readItem = (values: object, of: Table = table, form: Partial<Form> = {}) => ({
  values: selectValuesToWrite({ ...values }, of, { as: 'item', notation: 'detect', ...form }),
  describeLost: (records: object[]) =>
    describeLostValues(
      { ...values },
      of,
      records.map((one) => ({ ...one })),
    ),
});

/** The keys and fields that a message names, in quotation marks. */
const findLost = (given: ReturnType<typeof readItem>, records: object[] = []) =>
  given.describeLost(records).map((text) => /"([^"]*)"/.exec(text)?.[1]);

describe('fields to clear', () => {
  const clear = (as: Form['as'], values: object, ...cleared: string[]) =>
    selectValuesToWrite({ ...values }, table, { as, notation: 'detect', cleared });

  test.each(['rows', 'object'] as const)('%s: a field that has a value too is an error', (as) => {
    for (const values of [{ company: 'Mill' }, { 'home[city]': 'York' }, { company: 0 }])
      expect(() => clear(as, values, 'company', 'home')).toThrow(
        /has a value, and stands under Fields to Clear$/,
      );
    expect(clear(as, { company: '', rental: 7 }, 'company')).toEqual({ company: null, rental: 7 });
    expect(clear(as, { 'home[city]': 'York' }, 'home[zip]')).toEqual({
      'home[city]': 'York',
      'home[zip]': null,
    });
  });

  test('in an item they count instead of its values, whatever their names are', () => {
    const item = { company: 'Mill', 'home[city]': 'York', 'Account Owner': 'Ada', rental: 7 };
    expect(clear('item', item, 'company', 'home', 'owner')).toEqual({
      company: null,
      home: null,
      owner: null,
      rental: 7,
    });
    // The other parts would be lost.
    expect(() => clear('item', { home: { city: 'York' } }, 'home[zip]')).toThrow('has a value');
  });
});

test('a field and a part of it are one field that is given twice', () => {
  expect(() => readObject({ home: { city: 'York' }, 'home[zip]': '1' })).toThrow(
    '"home" is given twice, as "home" and "home[zip]"',
  );
  expect(() => readObject({ 'home[zip]': '1', home: null })).toThrow('is given twice');
  expect(readObject({ 'home[zip]': '1', 'home[city]': 'York' })).toEqual({
    'home[zip]': '1',
    'home[city]': 'York',
  });
});

describe('values that are given', () => {
  test.each<[string, object, object]>([
    ['a text and an ID', { owner: 'Ada', owner_id: 'r1' }, { owner: [{ id: 'r1', val: 'Ada' }] }],
    [
      'lists of them',
      { tags: ['A', 'A'], tags_id: ['r1', 'r2'] },
      {
        tags: [
          { id: 'r1', val: 'A' },
          { id: 'r2', val: 'A' },
        ],
      },
    ],
    [
      'lists as texts',
      { tags: 'A, B', tags_id: 'r1, r2' },
      {
        tags: [
          { id: 'r1', val: 'A' },
          { id: 'r2', val: 'B' },
        ],
      },
    ],
    ['one text with a comma', { tags: 'A, B', tags_id: 'r1' }, { tags: [{ id: 'r1', val: 'A, B' }] }],
    ['an empty connection', { owner: null, owner_id: null }, { owner: [] }],
    ['an ID beside an empty text', { owner: '', owner_id: 'r1' }, { owner: [{ id: 'r1', val: '' }] }],
    ['an ID beside an empty list', { owner: [], owner_id: 'r1' }, { owner: [{ id: 'r1', val: '' }] }],
    [
      'names of fields',
      { 'Account Owner': 'A', 'Account Owner_id': 'r1' },
      { owner: [{ id: 'r1', val: 'A' }] },
    ],
    ['a user', { seller: 'Ada', seller_id: 'u1' }, { seller: [{ id: 'u1', val: 'Ada' }] }],
    ['a text alone', { owner: 'Ada' }, { owner: 'Ada' }],
    ['an ID alone', { owner_id: 'r1' }, { owner: 'r1' }],
    ['an ID beside no connection', { other_id: 'r1' }, { other_id: 'r1' }],
    ['a field with the key of an ID', { parent: ADA, parent_id: 'x' }, { parent: ADA, parent_id: 'x' }],
    ['no connection', { company: 'Mill', company_id: '7' }, { company: 'Mill', company_id: '7' }],
  ])('%s', (_, values, expected) => {
    expect(readObject(values)).toEqual(expected);
  });

  test('IDs alone, or texts alone, where the form says so', () => {
    const values = { owner: 'Ada', owner_id: 'r1', tags: ['A'], tags_id: ['r1', 'r2'] };
    expect(readObject(values, table, 'ids')).toEqual({ owner: 'r1', tags: ['r1', 'r2'] });
    expect(readObject(values, table, 'names')).toEqual({ owner: 'Ada', tags: ['A'] });
  });

  test.each([
    [{ tags: ['Ada', 'New'], tags_id: ['r1'] }, '"tags" is ["Ada","New"], and its ID is ["r1"]'],
    [{ tags: ['Ada'], tags_id: ['r1', 'r2'] }, '"tags" is ["Ada"], and its ID is ["r1","r2"]'],
    [{ tags: [], tags_id: ['r1', 'r2'] }, '"tags" is [], and its ID is ["r1","r2"]'],
    [{ owner: 'Ada', owner_id: '' }, '"Account Owner" is "Ada", and its ID is ""'],
  ])('%j: another number of texts than IDs is refused', (values, message) => {
    expect(() => readObject(values)).toThrow(message);
  });

  test.each<[string, object, object, string[]]>([
    ['what nodes add', { id: 'x', _event: 'INSERT', _total: 1 }, {}, ['id']],
    [
      'what the service adds',
      { auto_increment: 4, created_at: 'c', company: 'A' },
      { company: 'A' },
      ['auto_increment', 'created_at'],
    ],
    ['what the service maintains, and its files', { total: 5, scan: 'https://x/a' }, {}, ['total', 'scan']],
    ['a file object, and a list of them', { scan: [{ url: 'https://x/a', key: '/a' }] }, {}, ['scan']],
    ['the name of a binary field', { scan: 'data' }, { scan: 'data' }, []],
    ['a field with the key of display values', { rental_val: 'y' }, { rental_val: 'y' }, []],
  ])('of an item are written or lost: %s', (_, values, expected, lost) => {
    const given = readItem(values);
    expect(given.values).toEqual(expected);
    expect(findLost(given)).toEqual(lost);
  });

  test('an unknown key of an item is an error, or left out', () => {
    const values = { _other: 1, company_val: 'x', company: 'A' };
    expect(() => readItem(values)).toThrow('Fields: the table has no field "_other"');
    expect(readItem(values, table, { omitsUnknown: true }).values).toEqual({ company: 'A' });
    expect(() => readItem({ _other: 1 }, table, { omitsUnknown: true })).toThrow(
      'Fields: no key of the input is a field of the table',
    );
  });

  test('a field is given once, and cleared by its slug', () => {
    expect(readItem({ Company: 'A', owner: 'Ada' }, table, { cleared: ['owner'] }).values).toEqual({
      company: 'A',
      owner: null,
    });
    expect(() => readObject({ Company: 'A', company: 'B' })).toThrow(
      'Fields: "company" is given twice, as "Company" and "company"',
    );
  });

  describe('in a table with columns that have the names of added keys', () => {
    const named = createTable(
      ['code', 'Text', undefined, 'ID'],
      ['made', 'Date', undefined, 'Created At'],
      ['_total', 'Number'],
      ['total', 'Formula', undefined, 'Whole Price'],
    );
    const withForm = new Table('T1x9KqWb7Z', named.fields);
    const own = 'K7pQ2xW9Lm';
    test.each<[string, object, object, string[]]>([
      [
        'a key is the field that it names',
        { id: 4711, created_at: 'c', _total: 7 },
        { code: 4711, made: 'c', _total: 7 },
        [],
      ],
      ['a field that is given too keeps its value', { id: 4711, code: 'a' }, { code: 'a' }, ['id']],
      [
        'a record of this application has its own',
        { id: own, created_at: 'c', _total: 7 },
        { _total: 7 },
        [],
      ],
      ['a name differs in case', { 'whole price': 5 }, {}, ['Whole Price']],
    ])('%s', (_, values, expected, lost) => {
      const given = readItem(values, withForm);
      expect(given.values).toEqual(expected);
      expect(findLost(given)).toEqual(lost);
    });

    test('an object keeps every key but those', () => {
      expect(readObject({ id: 4711, _action: 'x', made: 'c' }, withForm)).toEqual({ code: 4711, made: 'c' });
      expect(readObject({ id: own, total: 5 }, withForm)).toEqual({ total: 5 });
    });
  });

  /** The record that an item describes, and the keys of the item that are lost because they are not written. */
  test.each<[string, object, object[], string[]]>([
    [
      'the values of the record',
      { total: '5', scan: 'https://x/a', created_at: 'c' },
      [{ total: 5, scan: 'https://x/a', created_at: 'c' }],
      [],
    ],
    ['a value that the record had before', { total: 5 }, [{ total: 5 }, { total: 6 }], []],
    [
      'another value',
      { total: 7, scan: 'https://x/b', created_at: 'd' },
      [{ total: 5, scan: 'https://x/a', created_at: 'c' }],
      ['total', 'scan', 'created_at'],
    ],
    ['a field that the record does not show', { total: 7, scan: 'https://x/b' }, [{ company: 'a' }], []],
    ['empty values', { total: '', scan: [], created_at: null }, [], []],
    ['a new record', { total: 7, scan: 'https://x/b', id: 4711 }, [], ['total', 'scan', 'id']],
    ['a key of another system', { id: 4711, updated_at: 'u' }, [{ id: 'r1' }], ['id', 'updated_at']],
    [
      'a copy of a record of this application',
      { id: 'K7pQ2xW9Lm', created_at: 'c', total: 7 },
      [],
      ['total'],
    ],
  ])('are lost, or not: %s', (_, values, records, lost) => {
    const withForm = new Table('T1x9KqWb7Z', table.fields);
    expect(findLost(readItem(values, withForm), records)).toEqual(lost);
  });
});

describe('the display values of a connection', () => {
  test.each(['item', 'object'] as const)('%s: given alone, they are its value', (as) => {
    const read = (values: object) => selectValuesToWrite({ ...values }, table, { as, notation: 'detect' });
    expect(read({ company: 'A', owner_val: 'Ada' })).toEqual({ company: 'A', owner: 'Ada' });
    expect(read({ company: 'A', owner_val: [ADA] })).toEqual({ company: 'A', owner: [ADA] });
    expect(read({ company: 'A', 'Account Owner_val': [ADA] })).toEqual({ company: 'A', owner: [ADA] });
    expect(read({ company: 'A', owner_val: null })).toEqual({ company: 'A', owner: null });
  });

  test.each(['item', 'object'] as const)('%s: beside its IDs or texts they say nothing more', (as) => {
    const read = (values: object) => selectValuesToWrite({ ...values }, table, { as, notation: 'detect' });
    expect(read({ owner: 'r2', owner_val: [ADA] })).toEqual({ owner: 'r2' });
    expect(read({ owner_val: [ADA], owner: [] })).toEqual({ owner: [] });
    expect(read({ owner_val: [ADA], 'Account Owner': 'r2' })).toEqual({ owner: 'r2' });
    expect(read({ owner_val: [ADA], owner_id: 'r2' })).toEqual({ owner: 'r2' });
  });
});
