import { encodeRecordValues, type PayloadEntries, Table } from '../../../../nodes/records';
import { createRecordBody } from '../../../../nodes/records/writing/payload';
import { formatEndpoint, FormBody } from '../../../../nodes/service';
import { defineV1, defineV11 } from '../../../../nodes/service/endpoints/endpoint';
import { parseField } from '../fields/fieldTools';

const createField = (slug: string, type: string) => parseField({ slug, name: slug, type });
const LIST_KEYS = [
  'filters',
  'page',
  'limit',
  'order',
  'order_by',
  'sort_by',
  'columns',
  'fields',
  'display_names',
  'showequationlog',
];
const table = new Table('t1', [
  createField('company', 'Text'),
  ...LIST_KEYS.map((key) => createField(key, 'Number')),
  createField('who', 'Name'),
  createField('scan', 'File'),
  createField('scans', 'Files'),
  createField('shop', 'Link'),
  createField('term', 'Calendar'),
  createField('stay', 'Date Range'),
  createField('tags', 'Multi-select'),
  createField('firms', 'Connection'),
]);
const context = { timeZone: 'UTC' };
const encode = (values: object) => encodeRecordValues(values as Record<string, unknown>, table, context);
const FILE = { fileName: 'a.txt', mimeType: 'text/plain', data: new Uint8Array(1) };

test('omits columns without a value; null and empty text clear the cell', () => {
  expect(Object.keys(Object.fromEntries(encode({ company: undefined, page: null })))).toEqual(['page']);
  expect(encode({ company: '' })).toEqual([['company', '']]);
  expect(encode({ 'who[first_name]': 'Ada' })).toEqual([['who[first_name]', 'Ada']]);
  expect(() => encode({ nosuch: 1 })).toThrow('Fields: the table has no field "nosuch"');
});

const createBody = (entries: unknown, target: object = {}) =>
  createRecordBody(entries as PayloadEntries, { table, isCreate: true, ...target });

/** The names and texts of a form's parts; a file has its name. */
const readParts = (body: unknown): Array<[string, string]> => {
  expect(body).toBeInstanceOf(FormBody);
  const text = (body as FormBody).bytes.toString();
  return [
    ...text.matchAll(/name="([^"]*)"(?:; filename="([^"]*)"\r\n.*)?\r\n\r\n([^]*?)\r\n------form-/g),
  ].map(([, name = '', fileName, value = '']) => [name, fileName ?? value]);
};

test('in a form, an empty list of connections or files is an empty text, and one of choices has one blank choice', () => {
  const entries = [...encode({ scan: FILE }), ['firms', []], ['scans', []], ['tags', []]];
  expect(readParts(createBody(entries))).toEqual([
    ['scan', 'a.txt'],
    ['firms', ''],
    ['scans', ''],
    ['tags[]', ''],
  ]);
});

/** Spec: General rules, 2, and Records: a POST with a list key is a list request. */
test.each<[string, object]>([
  ['values', { company: 'x' }],
  ['a list of texts', { tags: ['a', 'b'] }],
  ['an empty list', { tags: [] }],
  ['an empty link', { shop: '', company: null }],
])('%s: sent as JSON', (_what, values) => {
  expect(createBody(Object.entries(values))).toEqual(values);
});

test.each(LIST_KEYS)('a new record with a field called %s is a form, an update is none', (key) => {
  const entries = [
    ['company', 'x'],
    [key, '1'],
  ];
  expect(readParts(createBody(entries))).toEqual(entries);
  expect(createBody(entries, { isCreate: false })).toEqual(Object.fromEntries(entries));
});

/** No client was met that puts parts into JSON (evidence 14), so a form has them. */
test.each<[string, object, Array<[string, string]>]>([
  ['nothing', {}, []],
  ['a file', { company: 'x', scan: [FILE] }, [['company', 'x'], ['scan', 'a.txt']]],
  ['several files', { scans: [FILE, FILE] }, [['scans[]', 'a.txt'], ['scans[]', 'a.txt']]],
  ['a name', { 'who[first_name]': 'Ada', page: 0, order: null }, [['who[first_name]', 'Ada'], ['page', '0'], ['order', '']]],
  ['a link', { shop: 'https://a.example', tags: ['a', 'b'] }, [['shop[link]', 'https://a.example'], ['tags[]', 'a'], ['tags[]', 'b']]],
  ['an empty list and a name', { tags: [], 'who[title]': 'Dr' }, [['tags[]', ''], ['who[title]', 'Dr']]],
  ['days', { term__start: '2025-03-01', term__end: '2025-03-02 10:00:00' }, [['term__start', '2025-03-01'], ['term__end', '2025-03-02']]],
  ['a range of moments', { stay__start: '2025-03-01', stay__end: '2025-03-02 10:00:00' }, [['stay[start]', '2025-03-01 00:00:00'], ['stay[end]', '2025-03-02 10:00:00']]],
  ['a range that says whether it has times', { term__start: '2025-03-01', term__all_day: 'Yes' }, [['term[start]', '2025-03-01 00:00:00'], ['term[all_day]', 'Yes']]],
])('%s: sent as a form', (_what, values, parts) => {
  expect(readParts(createBody(Object.entries(values)))).toEqual(parts);
}); // prettier-ignore

test.each([
  [{ start: '2025-01-01 08:00:00', end: '' }, 'term[start]', '2025-03-01 09:30:00'],
  [{ start: '', end: '', all_day: 'No' }, 'term[start]', '2025-03-01 09:30:00'],
  [{ start: '2025-01-01', end: '' }, 'term__start', '2025-03-01'],
  [undefined, 'term__start', '2025-03-01'],
])('a Calendar that the record shows as %j takes %s', (term, name, value) => {
  const target = { isCreate: false, record: { id: 'r1', term } };
  expect(readParts(createBody([['term__start', '2025-03-01 09:30:00']], target))).toEqual([[name, value]]);
});

test('a new record leaves out blank parts, and an update sends them', () => {
  const entries = [
    ['company', 'x'],
    ['who[first_name]', ''],
    ['term__start', null],
  ];
  expect(createBody(entries)).toEqual({ company: 'x' });
  expect(readParts(createBody(entries, { isCreate: false }))).toEqual([
    ['company', 'x'],
    ['who[first_name]', ''],
    ['term__start', ''],
  ]);
});

test('the link to a parent and the ID of a component', () => {
  const link = { join_type: 'joinTo', record_id: 'r1' };
  expect(createBody([['company', 'x']], { link })).toEqual({ company: 'x', connected_to: link });
  expect(readParts(createBody([['who[title]', 'Dr']], { link }))).toEqual([
    ['who[title]', 'Dr'],
    ['connected_to[join_type]', 'joinTo'],
    ['connected_to[record_id]', 'r1'],
  ]);
  expect(createBody([['company', 'x']], { isCreate: false, id: 'r1' })).toEqual({ id: 'r1', company: 'x' });
  expect(readParts(createBody([['who[title]', 'Dr']], { isCreate: false, id: 'r1' }))).toEqual([
    ['id', 'r1'],
    ['who[title]', 'Dr'],
  ]);
});

/** Spec: Linked record creation. In both content types, the key of the link is the key of such a column. */
test.each(['connected_to', 'connected_to[first_name]'])(
  'a new record with a column %s is refused, an update is not',
  (key) => {
    const linked = new Table('t1', [createField('connected_to', key.includes('[') ? 'Name' : 'Text')]);
    const entries: PayloadEntries = [[key, 'x']];
    expect(() => createRecordBody(entries, { table: linked, isCreate: true })).toThrow(
      'A new record cannot take the field "connected_to": the service reads this key as the link to a parent',
    );
    const body = createRecordBody(entries, { table: linked, isCreate: false });
    expect(body instanceof FormBody ? readParts(body) : Object.entries(body)).toEqual([[key, 'x']]);
  },
);

test('the method decides the effect of an endpoint unless it is given', () => {
  expect(defineV1('GET /a')).toEqual({ method: 'GET', path: '/api/v1/a', effect: 'read' });
  expect(defineV1('POST /a')).toMatchObject({ method: 'POST', effect: 'nonIdempotent' });
  expect(defineV1('DELETE /a')).toMatchObject({ method: 'DELETE', effect: 'idempotent' });
  expect(defineV11('POST /a/{id}', { effect: 'read' })).toEqual({
    method: 'POST',
    path: '/api/v1.1/{appId}/a/{id}',
    effect: 'read',
  });
  expect(formatEndpoint(defineV1('GET /a'))).toBe('GET /api/v1/a');
});
