import { getKind } from '../../../../nodes/records';
import { isServiceFile } from '../../../../nodes/records/fields/file';
import { encodeValue } from '../../../../nodes/records/fields/recordValues';
import { catchTexts, createField } from './fieldTools';

const UTC = { timeZone: 'utc' };
const field = createField('File');
const kind = getKind(field);
const URL = 'https://files.example.com/a.pdf';

/** The service returns addresses, which cannot be sent back. Names of binary fields can be written. */
test.each<[unknown, boolean]>([
  ['data', true],
  ['a/b', true],
  ['my https: file', true],
  [['data', URL], true],
  [[{ data: new Uint8Array() }], true],
  [URL, false],
  ['http://files.example.com/a.pdf', false],
  ['/files/a.pdf', false],
  [[URL, '/files/a.pdf', ''], false],
  [{ url: URL, key: '/a.pdf', size: '4380' }, false],
  [[{ fileName: 'a.pdf', fileId: 'x', size: 4380 }], false],
  ['', false],
  [null, false],
  [[], false],
])('%j can be written: %p', (value, writable) => {
  expect(isServiceFile(value)).toBe(!writable);
});

test.each<[unknown, unknown[]]>([
  [URL, [URL]],
  [`${URL}, /files/b.pdf`, [URL, '/files/b.pdf']],
  [['', URL, null, undefined], [URL]],
  ['', []],
  [null, []],
])('%j is read as %j', (value, read) => {
  expect(kind.normalize(value, field)).toEqual(read);
});

test.each([['data'], [{ name: 'a.pdf' }], [{ data: 'text' }], [[{ data: new Uint8Array(1) }, 'data']]])(
  'only the bytes of files are sent, not %j',
  (value) => {
    expect(catchTexts(() => encodeValue(value, field, UTC))).toEqual([
      `"Label" cannot take ${JSON.stringify(value)}`,
      'Label (f) is of the type File. A valid value: "data" (the name of the input\'s binary field), or "https://example.com/contract.pdf".',
    ]);
  },
);

test('a file is filtered by whether it is blank, and is blank without addresses', () => {
  expect(kind.operators.map(({ name, matches }) => [name, matches?.([], '', {} as never)])).toEqual([
    ['is', undefined],
    ['is blank', true],
    ['is not blank', false],
  ]);
  expect(kind.holdsFiles).toBe('one');
});

test('a column for several files takes several, and an image cannot be written', () => {
  const [first, second] = ['a', 'b'].map((fileName) => ({ fileName, mimeType: '', data: new Uint8Array(1) }));
  expect(encodeValue([first, second], createField('Files'), UTC)).toEqual([['f', [first, second]]]);
  const image = createField('Image');
  expect([image.isReadOnly, getKind(createField('Files')).holdsFiles]).toEqual([true, 'several']);
});
