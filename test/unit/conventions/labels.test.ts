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
