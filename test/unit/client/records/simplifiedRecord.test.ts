import { toField } from '../../../../nodes/client/fields/kinds';
import { Table } from '../../../../nodes/client/fields/table';
import { createNameReader } from '../../../../nodes/client/records/displayNames';
import {
  createSimplifier,
  listSimplifierFields,
  omitReadOnly,
  takeConnectedIds,
} from '../../../../nodes/client/records/simplifiedRecord';
import { fullFieldSchema } from '../../../../nodes/client/responses/schemas';

const createTable = (...fields: Array<[slug: string, type: string, joinType?: string, name?: string]>) =>
  new Table(
    't',
    fields.map(([slug, type, joinType, name = slug]) =>
      toField(
        fullFieldSchema.parse({ slug, fieldId: `f_${slug}`, name, type, join: { join_type: joinType } }),
      ),
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
      'has the ID where the text is not known',
      { tags: ['r1', 'r3', 'r4'], tags_val: [ADA, { id: 'r4', val: '' }] },
      { tags: ['Ada', 'r3', 'r4'], tags_id: ['r1', 'r3', 'r4'] },
    ],
    ['reads the display values alone', { owner_val: [ADA] }, { owner: 'Ada', owner_id: 'r1' }],
    ['reads entries with a text', { owner: [ADA] }, { owner: 'Ada', owner_id: 'r1' }],
    ['reads a plain ID', { owner: 'r1' }, { owner: 'r1', owner_id: 'r1' }],
    [
      'keeps a connection without IDs',
      { owner: [{ text: 'Ada' }], owner_val: ['Ada'] },
      { owner: [{ text: 'Ada' }], owner_val: ['Ada'] },
    ],
    [
      'has an object where the table has a column with the key of the ID',
      { parent: ['r1'], parent_val: [ADA], parent_id: 'x' },
      { parent: ADA, parent_id: 'x' },
    ],
    ['has a user like a connection', { seller: ['r1'] }, { seller: 'r1', seller_id: 'r1' }],
    [
      'leaves out empty parts',
      {
        person: { title: '', first_name: 'Ada', middle_name: null },
        term: { start: '2025-03-31', end: null },
      },
      { person: { first_name: 'Ada' }, term: { start: '2025-03-31' } },
    ],
    [
      'joins parts with keys of their own',
      { id: 'r', 'person[first_name]': 'Ada', 'person[title]': '', 'home[city]': '', company: 'Mill' },
      { id: 'r', person: { first_name: 'Ada' }, home: {}, company: 'Mill' },
    ],
    [
      'has an empty object for an empty composite',
      { person: '', home: null, term: {} },
      { person: {}, home: {}, term: {} },
    ],
    [
      'reads a composite from JSON text',
      { person: '{"first_name":"Ada"}' },
      { person: { first_name: 'Ada' } },
    ],
    ['keeps a composite of another form', { person: 'Ada Byron' }, { person: 'Ada Byron' }],
    [
      'keeps a column whose slug ends in _val',
      { rental: 1, rental_val: 'x' },
      { rental: 1, rental_val: 'x' },
    ],
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
      Boss: 'r1',
      Boss_id: 'r1',
      Boss_val: 'a note',
    });
    expect(byName({ Boss_val: 'a note' })).toEqual({ Boss_val: 'a note' });
  });

  test('needs the fields that it reshapes, and the columns with the key of an ID', () => {
    const slugs = ['owner', 'tags', 'parent', 'parent_id', 'seller', 'person', 'home', 'term'];
    expect(listSimplifierFields(table).map(({ slug }) => slug)).toEqual(slugs);
    const record = { parent: ['r1'], parent_val: [ADA], parent_id: 'x', owner: ['r1'] };
    expect(createSimplifier(new Table('t', listSimplifierFields(table)))(record)).toEqual(simplify(record));
  });
});

describe('values from a simplified record', () => {
  test.each<[string, object, object]>([
    ['the ID wins over the text', { owner: 'Ada', owner_id: 'r1' }, { owner: [{ id: 'r1' }] }],
    [
      'the IDs of lists win',
      { tags: ['A', 'A'], tags_id: ['r1', 'r2'] },
      { tags: [{ id: 'r1' }, { id: 'r2' }] },
    ],
    ['an empty connection stays empty', { owner: null, owner_id: null }, { owner: [] }],
    ['an ID beside an empty text', { owner: '', owner_id: 'r1' }, { owner: [{ id: 'r1' }] }],
    ['more IDs than texts', { tags: ['A'], tags_id: ['r1', 'r2'] }, { tags: [{ id: 'r1' }, { id: 'r2' }] }],
    [
      'names of fields',
      { 'Account Owner': 'A', 'Account Owner_id': 'r1' },
      { 'Account Owner': [{ id: 'r1' }] },
    ],
    ['a user', { seller: 'Ada', seller_id: 'u1' }, { seller: [{ id: 'u1' }] }],
    ['a text alone', { owner: 'Ada' }, { owner: 'Ada' }],
    ['an ID alone is no column', { owner_id: 'r1' }, { owner_id: 'r1' }],
    ['a column with the key of an ID', { parent: ADA, parent_id: 'x' }, { parent: ADA, parent_id: 'x' }],
    ['no connection', { company: 'Mill', company_id: '7' }, { company: 'Mill', company_id: '7' }],
  ])('%s', (_, values, expected) => expect(takeConnectedIds({ ...values }, table)).toEqual(expected));

  test.each([
    [{ tags: ['Ada', 'New'], tags_id: ['r1'] }, '"tags" is ["Ada","New"], and "tags_id" is ["r1"]'],
    [{ owner: 'Ada', owner_id: '' }, '"Account Owner" is "Ada", and "owner_id" is ""'],
  ])('%j: a text without an ID is refused', (values, message) => {
    expect(() => takeConnectedIds(values, table)).toThrow(message);
  });

  test('leave out what no column takes', () => {
    const added = { id: 'r', _event: 'INSERT', _table: 'T', _total: 1, _eventId: 'e', owner_val: [ADA] };
    const computed = { total: 5, created_at: 'c', scan: 'https://x/a' };
    expect(omitReadOnly({ ...added, ...computed, company: 'Mill', _other: 1 }, table)).toEqual({
      company: 'Mill',
      _other: 1,
    });
    expect(omitReadOnly({ id: 'r', total: 5 })).toEqual({ total: 5 });
  });

  test('omits them by the names of their fields too', () => {
    const named = createTable(['total', 'Formula', undefined, 'Whole Price'], ['note', 'Text']);
    const values = { 'Whole Price': 5, 'Whole Price_val': 5, note: 'x', note_val: 'y', other_val: 'z' };
    expect(omitReadOnly(values, named)).toEqual({ note: 'x', other_val: 'z' });
  });
});
