import { createItemConverter } from '../../../../nodes/records';
import { createTable, table } from './readingTable';

const simplify = createItemConverter({ simplified: true }, table);
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
    const byName = createItemConverter({ simplified: true, displayNames: true }, table);
    expect(byName({ owner: ['r1'], owner_val: [ADA] })).toEqual({
      'Account Owner': 'Ada',
      'Account Owner_id': 'r1',
    });
  });

  test('adds the slug to a name that is the slug of another field, so that it can be written back', () => {
    const both = createTable(['alpha', 'Text', undefined, 'beta'], ['beta', 'Text', undefined, 'Beta']);
    const byName = createItemConverter({ simplified: true, displayNames: true }, both);
    const shown = byName({ alpha: 'a', beta: 'b' });
    expect(shown).toEqual({ 'beta [alpha]': 'a', Beta: 'b' });
    expect(Object.keys(shown).map((key) => both.findRef(key)?.field.slug)).toEqual(['alpha', 'beta']);
  });

  test('keeps a column whose name is that of the display values of another', () => {
    const both = createTable(
      ['boss', 'Connection', 'N-to-1', 'Boss'],
      ['note', 'Text', undefined, 'Boss_val'],
    );
    const byName = createItemConverter({ simplified: true, displayNames: true }, both);
    expect(byName({ boss: ['r1'], note: 'a note' })).toEqual({
      Boss_id: 'r1',
      Boss_val: 'a note',
    });
    expect(byName({ note: 'a note' })).toEqual({ Boss_val: 'a note' });
  });
});
