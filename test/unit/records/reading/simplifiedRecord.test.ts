import {
  divideValues,
  joinTextsAndIds,
  listLostValues,
  omitAddedKeys,
  Table,
} from '../../../../nodes/records';
import { createNameReader } from '../../../../nodes/records/reading/displayNames';
import { createSimplifier } from '../../../../nodes/records/reading/simplifiedRecord';
import { parseField } from '../fields/fieldTools';

const createTable = (...fields: Array<[slug: string, type: string, joinType?: string, name?: string]>) =>
  new Table(
    't',
    fields.map(([slug, type, joinType, name = slug]) =>
      parseField({ slug, fieldId: `f_${slug}`, name, type, join: { join_type: joinType } }),
    ),
  );

const table = createTable(
  ['company', 'Text'],
  ['owner', 'Connection', 'N-to-1', 'Account Owner'],
  ['tags', 'Connection', 'N-to-N'],
  ['parent', 'Connection', '1-to-1'],
  ['parent_id', 'Text'],
  ['seller', 'User'],
  ['person', 'Name'],
  ['home', 'Address'],
  ['term', 'Calendar'],
  ['rental', 'Number'],
  ['rental_val', 'Text'],
  ['scan', 'File'],
  ['shop', 'Link'],
  ['colours', 'Multi-select'],
  ['total', 'Formula'],
);
const simplify = createSimplifier(table);
const ADA = { id: 'r1', val: 'Ada' };
const BOB = { id: 'r2', val: 'Bob' };

describe('a simplified record', () => {
  test.each<[string, object, object]>([
    [
      'keeps every other value and the order',
      { id: 'r', rental: 0, company: '', owner: [], owner_val: [], scan: ['/a'], created_at: 'c' },
      { id: 'r', rental: 0, company: '', owner: null, owner_id: null, scan: ['/a'], created_at: 'c' },
    ],
    [
      'has the text of a connected record, and its ID',
      { owner: ['r1'], owner_val: [ADA] },
      { owner: 'Ada', owner_id: 'r1' },
    ],
    [
      'has lists for a connection to several records, in the order of the IDs',
      { tags: ['r1', 'r2'], tags_val: [BOB, ADA] },
      { tags: ['Ada', 'Bob'], tags_id: ['r1', 'r2'] },
    ],
    ['has empty lists', { tags: [], tags_val: [] }, { tags: [], tags_id: [] }],
    [
      'loses no record of a connection to one record',
      { owner: ['r1', 'r2'], owner_val: [ADA, BOB] },
      { owner: ['Ada', 'Bob'], owner_id: ['r1', 'r2'] },
    ],
    [
      'leaves out texts of which one is not known',
      { tags: ['r1', 'r3'], tags_val: [ADA] },
      { tags_id: ['r1', 'r3'] },
    ],
    [
      'has an empty text of a record without one',
      { tags: ['r1', 'r4'], tags_val: [ADA, { id: 'r4', val: '' }] },
      { tags: ['Ada', ''], tags_id: ['r1', 'r4'] },
    ],
    ['reads the display values alone', { owner_val: [ADA] }, { owner: 'Ada', owner_id: 'r1' }],
    ['reads entries with a text', { owner: [ADA] }, { owner: 'Ada', owner_id: 'r1' }],
    ['reads a plain ID', { owner: 'r1' }, { owner_id: 'r1' }],
    [
      'keeps a connection without IDs',
      { owner: [{ text: 'Ada' }], owner_val: ['Ada'] },
      { owner: [{ text: 'Ada' }], owner_val: ['Ada'] },
    ],
    [
      'has an object where the table has a field with the key of the ID',
      { parent: ['r1'], parent_val: [ADA], parent_id: 'x' },
      { parent: ADA, parent_id: 'x' },
    ],
    ['has a user like a connection', { seller: ['r1'] }, { seller_id: 'r1' }],
    [
      'leaves out empty parts',
      {
        person: { title: '', first_name: 'Ada', middle_name: null },
        term: { start: '2025-03-31', end: null },
      },
      { person: { first_name: 'Ada' }, term: { start: '2025-03-31' } },
    ],
    [
      'keeps what the service adds to a composite',
      {
        home: { city: 'Leeds', state: '', lng: '-1.5', lat: '53.8' },
        term: { start: '2025-03-31 09:00:00', end: '', all_day: 'No' },
      },
      {
        home: { city: 'Leeds', lng: '-1.5', lat: '53.8' },
        term: { start: '2025-03-31 09:00:00', all_day: 'No' },
      },
    ],
    [
      'has null for an empty composite',
      { person: '', home: { city: '', lat: '' }, term: { start: '', end: null, all_day: 'No' } },
      { person: null, home: null, term: null },
    ],
    ['has the text of a link', { shop: { link: 'https://a.example' } }, { shop: 'https://a.example' }],
    ['has an empty text for no link', { shop: { link: '' } }, { shop: '' }],
    ['has each choice once', { colours: ['a', '', 'b', 'a'] }, { colours: ['a', 'b'] }],
    ['has an empty list for no choice', { colours: [''] }, { colours: [] }],
    ['reads a numbered map of choices', { colours: { 0: 'a', 1: 'b' } }, { colours: ['a', 'b'] }],
    [
      'reads a composite from JSON text',
      { person: '{"first_name":"Ada"}' },
      { person: { first_name: 'Ada' } },
    ],
    ['keeps a composite of another form', { person: 'Ada Byron' }, { person: 'Ada Byron' }],
    ['keeps a field whose slug ends in _val', { rental: 1, rental_val: 'x' }, { rental: 1, rental_val: 'x' }],
  ])('%s', (_, record, expected) => {
    const simplified = simplify({ ...record });
    expect(simplified).toEqual(expected);
    expect(Object.keys(simplified)).toEqual(Object.keys(expected));
  });

  test('has the names of fields as keys', () => {
    const byName = createSimplifier(table, createNameReader(table));
    expect(byName({ 'Account Owner': ['r1'], 'Account Owner_val': [ADA] })).toEqual({
      'Account Owner': 'Ada',
      'Account Owner_id': 'r1',
    });
  });

  test('keeps a column whose name is that of the display values of another', () => {
    const both = createTable(
      ['boss', 'Connection', 'N-to-1', 'Boss'],
      ['note', 'Text', undefined, 'Boss_val'],
    );
    const byName = createSimplifier(both, createNameReader(both));
    expect(byName({ Boss: ['r1'], Boss_val: 'a note' })).toEqual({
      Boss_id: 'r1',
      Boss_val: 'a note',
    });
    expect(byName({ Boss_val: 'a note' })).toEqual({ Boss_val: 'a note' });
  });
});

describe('values from a simplified record', () => {
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
      { 'Account Owner': [{ id: 'r1', val: 'A' }] },
    ],
    ['a user', { seller: 'Ada', seller_id: 'u1' }, { seller: [{ id: 'u1', val: 'Ada' }] }],
    ['a text alone', { owner: 'Ada' }, { owner: 'Ada' }],
    ['an ID alone', { owner_id: 'r1' }, { owner: 'r1' }],
    ['an ID beside no connection', { other_id: 'r1' }, { other_id: 'r1' }],
    ['a field with the key of an ID', { parent: ADA, parent_id: 'x' }, { parent: ADA, parent_id: 'x' }],
    ['no connection', { company: 'Mill', company_id: '7' }, { company: 'Mill', company_id: '7' }],
  ])('%s', (_, values, expected) => {
    expect(joinTextsAndIds({ ...values }, table, 'detect')).toEqual(expected);
  });

  test('IDs alone, or texts alone, where the form says so', () => {
    const values = { owner: 'Ada', owner_id: 'r1', tags: ['A'], tags_id: ['r1', 'r2'] };
    expect(joinTextsAndIds(values, table, 'ids')).toEqual({ owner: 'r1', tags: ['r1', 'r2'] });
    expect(joinTextsAndIds(values, table, 'names')).toEqual({ owner: 'Ada', tags: ['A'] });
  });

  test.each([
    [{ tags: ['Ada', 'New'], tags_id: ['r1'] }, '"tags" is ["Ada","New"], and its ID is ["r1"]'],
    [{ tags: ['Ada'], tags_id: ['r1', 'r2'] }, '"tags" is ["Ada"], and its ID is ["r1","r2"]'],
    [{ tags: [], tags_id: ['r1', 'r2'] }, '"tags" is [], and its ID is ["r1","r2"]'],
    [{ owner: 'Ada', owner_id: '' }, '"Account Owner" is "Ada", and its ID is ""'],
  ])('%j: another number of texts than IDs is refused', (values, message) => {
    expect(() => joinTextsAndIds(values, table, 'detect')).toThrow(message);
  });

  test.each<[string, object, object, string[]]>([
    ['what nodes add', { id: 'x', _event: 'INSERT', _total: 1, owner_val: [ADA] }, {}, ['id']],
    [
      'what the service adds',
      { auto_increment: 4, created_at: 'c', company: 'A' },
      { company: 'A' },
      ['auto_increment', 'created_at'],
    ],
    ['what the service maintains, and its files', { total: 5, scan: 'https://x/a' }, {}, ['total', 'scan']],
    ['a file object, and a list of them', { scan: [{ url: 'https://x/a', key: '/a' }] }, {}, ['scan']],
    ['the name of a binary field', { scan: 'data' }, { scan: 'data' }, []],
    [
      'a key of the user',
      { _other: 1, company_val: 'x', rental_val: 'y' },
      { _other: 1, company_val: 'x', rental_val: 'y' },
      [],
    ],
  ])('are divided: %s', (_, values, writable, leftOut) => {
    const divided = divideValues({ ...values }, table);
    expect(divided.writable).toEqual(writable);
    expect(divided.leftOut.map(({ key }) => key)).toEqual(leftOut);
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
        ['id', 'created_at'],
      ],
      ['a name differs in case', { 'whole price': 5 }, {}, ['whole price']],
    ])('%s', (_, values, writable, leftOut) => {
      const divided = divideValues({ ...values }, withForm);
      expect(divided.writable).toEqual(writable);
      expect(divided.leftOut.map(({ key }) => key)).toEqual(leftOut);
    });

    test('JSON keeps every key but those', () => {
      expect(omitAddedKeys({ id: 4711, _action: 'x', created_at: 'c' }, withForm)).toEqual({
        id: 4711,
        created_at: 'c',
      });
      expect(omitAddedKeys({ id: own, total: 5 }, withForm)).toEqual({ total: 5 });
      expect(omitAddedKeys({ id: 4711, total: 5 })).toEqual({ total: 5 });
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
    const { leftOut } = divideValues({ ...values }, withForm);
    expect(
      listLostValues(
        leftOut,
        withForm,
        records.map((one) => ({ ...one })),
      ).map(({ key }) => key),
    ).toEqual(lost);
  });
});
