import { simplifyRecord } from '../../../../nodes/client/records/simplifyRecord';

const FIELDS = new Set(['name', 'company', 'owner', 'tags', 'scan', 'rental', 'rental_val', 'term']);
const simplify = (record: object) => simplifyRecord(record as Record<string, unknown>, FIELDS);

test.each<[string, object, object]>([
  ['values stay', { id: 'r1', company: 'Mill', rental: 0 }, { id: 'r1', company: 'Mill', rental: 0 }],
  ['empty values are left out', { company: '', owner: [], name: null, term: {} }, {}],
  ['0 and false are not empty', { rental: 0, company: false }, { rental: 0, company: false }],
  [
    'a composite is one line',
    { name: { title: '', first_name: 'Ada', last_name: 'Byron' } },
    { name: 'Ada Byron' },
  ],
  [
    'a file is one line with its address',
    { scan: { name: 'a.pdf', url: 'https://x/a' } },
    { scan: 'a.pdf https://x/a' },
  ],
  [
    'a list of files keeps its addresses',
    { scan: ['https://x/a', 'https://x/b'] },
    { scan: ['https://x/a', 'https://x/b'] },
  ],
  ['a list of choices stays a list', { tags: ['a', 'b'] }, { tags: ['a', 'b'] }],
  [
    'a connection is the names of its records',
    { owner: ['r1'], owner_val: [{ id: 'r1', val: 'Ada' }] },
    { owner: ['Ada'] },
  ],
  [
    'an empty part leaves no gap in the line',
    { name: { first_name: 'Ada', middle_name: null, last_name: 'Byron' } },
    { name: 'Ada Byron' },
  ],
  [
    'a key that another key begins with stays',
    { owner: 'r1', owner_tel: '5' },
    { owner: 'r1', owner_tel: '5' },
  ],
  ['a connection without names keeps its IDs', { owner: ['r1'] }, { owner: ['r1'] }],
  ['a record without a name keeps its entry', { owner: ['r1'], owner_val: ['r1'] }, { owner: ['r1'] }],
  ['an empty connection is left out', { owner: [], owner_val: [] }, {}],
  ['a field whose slug ends in _val stays', { rental: 1, rental_val: 'x' }, { rental: 1, rental_val: 'x' }],
  ['a display value without its connection stays', { owner_val: 'Ada' }, { owner_val: 'Ada' }],
])('%s', (_, record, expected) => expect(simplify(record)).toEqual(expected));
