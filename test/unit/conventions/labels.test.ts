import type { INodeProperties } from 'n8n-workflow';
import { forms, getRows } from './forms';

/** Pixels of characters in the labels of n8n 2.41: InterVariable, 12 px. */
const WIDTHS: Array<[pixels: number, characters: string]> = [
  [3, 'Iijl'],
  [3.5, ' ,.:'],
  [4, 't'],
  [4.5, 'fr()/'],
  [5.5, '-"'],
  [6.5, 'aksvxyz'],
  [7, 'EFJLcehnou57'],
  [7.5, 'PRSTZbdgpq023689'],
  [8, 'BKXY4'],
  [8.5, 'ADV'],
  [9, 'CGHNOQU'],
  [10, 'w'],
  [10.5, 'm'],
  [11, 'M'],
  [12, 'W%'],
];

const measureText = (text: string): number =>
  [...text].reduce((sum, one) => sum + (WIDTHS.find(([, same]) => same.includes(one))?.[0] ?? 12), 0);

/** Measured in n8n 2.41 in a window of 1440 pixels: the switch between Fixed and Expression takes the rest of the line. */
const LABEL_WIDTH = 216;
const INDENT = 32;
/** A list of inputs that is itself an option. */
const OPTION_INDENT = 48;
/** A text input has another button, which opens it in the focus panel. */
const FOCUS_BUTTON = 24;

/** Headings of groups of inputs, notices and the mapper's heading have the whole line. */
const WHOLE_LINE = ['collection', 'fixedCollection', 'notice', 'callout', 'resourceMapper', 'hidden'];

function listCutLabels(field: INodeProperties, width = LABEL_WIDTH, parent = ''): string[] {
  const available = width - (['string', 'json'].includes(field.type) ? FOCUS_BUTTON : 0);
  const isCut = !WHOLE_LINE.includes(field.type) && measureText(field.displayName) > available;
  const indent = field.type === 'fixedCollection' && parent === 'collection' ? OPTION_INDENT : INDENT;
  return [
    ...(isCut ? [field.displayName] : []),
    ...getRows(field).flatMap((row) => row.flatMap((one) => listCutLabels(one, width - indent, field.type))),
  ];
}

test('the editor shows every label whole', () => {
  expect(forms.flatMap(({ at, fields }) => fields.flatMap((field) => listCutLabels(field).map((label) => `${at}: ${label}`)))).toEqual([]); // prettier-ignore
});

test('labels that the editor cut off are found', () => {
  const toOption = (displayName: string): INodeProperties => ({
    displayName: 'Options',
    name: 'options',
    type: 'collection',
    default: {},
    options: [{ displayName, name: 'one', type: 'boolean', default: false }],
  });
  for (const label of ['Create Missing Connected Records', 'Only When These Fields Change Names or IDs'])
    expect(listCutLabels(toOption(label))).toEqual([label]);
  for (const label of ['Fields to Clear Names or IDs', 'Create Connected Records'])
    expect(listCutLabels(toOption(label))).toEqual([]);
});

test('labels and descriptions say "field"; only a file has columns', () => {
  const listTexts = (field: INodeProperties): string[] => {
    const entries = (field.options ?? []) as Array<{ name?: string; description?: string }>;
    return [
      field.displayName,
      field.description ?? '',
      field.hint ?? '',
      ...entries.flatMap(({ name, description }) => [name ?? '', description ?? '']),
      ...getRows(field).flatMap((row) => row.flatMap(listTexts)),
    ];
  };
  const texts = forms.flatMap(({ fields }) => fields.flatMap(listTexts));
  expect(texts.filter((text) => /field/i.test(text)).length).toBeGreaterThan(100);
  const found = texts.filter((text) => /\bcolumns?\b/i.test(text) && !text.includes('columns of the file'));
  // Names of parameters are stored and not shown.
  expect(found.filter((text) => text !== 'columns')).toEqual([]);
});

test('a row of conditions says "Field", "Operator" and "Value", as n8n\'s own filter does', () => {
  const rows = forms.flatMap(({ fields }) =>
    fields
      .filter(({ name }) => ['conditions', 'sort'].includes(name))
      .flatMap((field) => getRows(field).flat()),
  );
  expect(rows.length).toBeGreaterThan(100);
  expect(rows.filter(({ displayName }) => / or IDs?$/.test(displayName))).toEqual([]);
  const dates = rows.filter(({ type }) => type === 'dateTime');
  // Without a placeholder, n8n asks for a date and a time.
  expect(dates.filter(({ placeholder }) => !placeholder)).toEqual([]);
});

test('a form calls one thing by one name: the words of the service that a user does not know are not labels', () => {
  const listLabels = (field: INodeProperties): string[] => [
    field.displayName,
    ...getRows(field).flatMap((row) => row.flatMap(listLabels)),
  ];
  const labels = forms.flatMap(({ fields }) => fields.flatMap(listLabels));
  const unclear = ['Hook URL', 'Platform', 'Which', 'File Field Name', 'Rows per Upload'];
  expect(labels.filter((label) => unclear.includes(label))).toEqual([]);
});

test('Simplify is the same control in every form', () => {
  const controls = forms.flatMap(({ fields }) => fields.filter(({ name }) => name === 'simplify'));
  expect(controls.length).toBeGreaterThan(10);
  const shown = controls.map(({ type, options = [] }) => {
    const names = options.map(({ name }) => name);
    return [type, names[0], names.at(-1)].join();
  });
  expect([...new Set(shown)]).toEqual(['options,On,Off']);
});
