import { getKind } from '../../../../nodes/records';
import { encodeValue } from '../../../../nodes/records/fields/recordValues';
import { catchTexts, createField, listMatching } from './fieldTools';

const UTC = { timeZone: 'utc' };
const toOptions = (options: Record<string, string>) => ({
  options: Object.entries(options).map(([value, label]) => ({ value, label })),
});

/** Labels that differ in signs only. */
const GRADES = toOptions({ x: 'C+', y: 'C', z: 'C-' });
const STATES = toOptions({ in_progress: 'Doing', done: 'Dark Blue' });
const NUMBERS = toOptions({ one: '2', 2: 'one', true: 'Yes' });

test.each<[object, unknown, string]>([
  [GRADES, 'C', 'y'],
  [GRADES, ' c ', 'y'],
  [GRADES, 'c+', 'x'],
  [GRADES, 'z', 'z'],
  [STATES, 'IN_PROGRESS', 'in_progress'],
  [STATES, 'dark blue', 'done'],
  [STATES, ['doing'], 'in_progress'],
  // A value is looked for before a label.
  [NUMBERS, 'one', 'one'],
  [NUMBERS, 2, '2'],
  [NUMBERS, true, 'true'],
])('among %j, %j is the choice "%s"', (options, value, choice) => {
  const field = createField('Select', options);
  expect(encodeValue(value, field, UTC)).toEqual([['f', choice]]);
  expect(encodeValue([value].flat(), createField('Multi-select', options), UTC)).toEqual([['f', [choice]]]);
  expect(getKind(field).normalize(value, field)).toBe(choice);
});

/** Evidence 11: `['']` is no choice, and lists may hold a choice twice. */
test.each([[['', 'Doing', 'in_progress', null]], [{ 0: 'Doing', 1: 'in_progress' }], ['Doing, doing']])(
  'a list of choices has each once: %j',
  (value) => {
    const field = createField('Multi-select', STATES);
    expect(encodeValue(value, field, UTC)).toEqual([['f', ['in_progress']]]);
    expect(getKind(field).normalize(value, field)).toEqual(['in_progress']);
    expect([encodeValue([''], field, UTC), getKind(field).normalize([''], field)]).toEqual([[['f', []]], []]);
  },
);

test.each([
  [GRADES, 'C++', '"C++"', / Did you mean "C\+"\? Its choices are: C\+, C, C-\.$/],
  // White space within a choice counts.
  [STATES, 'Darkblue', '"Darkblue"', / Did you mean "Dark Blue"\? Its choices are: /],
  [
    toOptions({ a: 'On', b: 'ON' }),
    'on',
    '"on"',
    / Several choices have this name: "On" \(a\), "ON" \(b\)\. /,
  ],
  [toOptions({ '<65': '<65', '>65': '>65' }), '65', '"65"', / Its choices are: <65, >65\.$/],
])('among %j, %j is refused', (options, value, shown, reason) => {
  for (const type of ['Select', 'Multi-select']) {
    const field = createField(type, options);
    const [message, remedy] = catchTexts(() => encodeValue(value, field, UTC));
    expect(message).toBe(`"Label" cannot take ${shown}`);
    expect(remedy).toMatch(reason);
    // It is read as it is, for example after the choice was removed.
    expect(getKind(field).normalize(value, field)).toEqual(type === 'Select' ? value : [value]);
  }
});

test.each<[unknown, unknown]>([
  ['removed', 'removed'],
  [5, '5'],
  [['Doing', 'Dark Blue'], undefined],
  [['Doing', ''], undefined],
  [{ id: 'in_progress' }, undefined],
  [null, ''],
])('Select: %j is read as %j', (value, read) => {
  const field = createField('Select', STATES);
  expect(getKind(field).normalize(value, field)).toEqual(read);
});

test.each<[unknown, unknown]>([
  [
    ['', 'Doing', null, 'removed'],
    ['in_progress', 'removed'],
  ],
  ['done,doing', ['done', 'in_progress']],
  [
    ['done', 7, true],
    ['done', '7', 'true'],
  ],
  [['done', { id: 'doing' }], undefined],
  [null, []],
])('Multi-select: %j is read as %j', (value, read) => {
  const field = createField('Multi-select', STATES);
  expect(getKind(field).normalize(value, field)).toEqual(read);
});

test.each(['a, b', 'Neither, nor', 'neither, NOR'])(
  '"%s" is one choice, although it contains a comma',
  (value) => {
    const field = createField('Multi-select', toOptions({ 'a, b': 'Both', n: 'Neither, nor' }));
    expect(encodeValue(value, field, UTC)).toEqual([['f', [value === 'a, b' ? value : 'n']]]);
  },
);

test.each<[string, unknown, string, string]>([
  ['Select', 'green', '"green"', ' Its choices are: Doing, Dark Blue.'],
  ['Select', ['doing', 'done'], '["doing","done"]', ' Its choices are: Doing, Dark Blue.'],
  ['Multi-select', ['done', 'green'], '"green"', ' Its choices are: Doing, Dark Blue.'],
  ['Multi-select', [{ id: 1 }], '[{"id":1}]', ' Its choices are: Doing, Dark Blue.'],
])('%s refuses %j', (type, value, shown, valid) => {
  expect(catchTexts(() => encodeValue(value, createField(type, STATES), UTC))).toEqual([
    `"Label" cannot take ${shown}`,
    `Label (f) is of the type ${type}.${valid}`,
  ]);
});

const COMPARED = ['is', 'is exact', 'contains', 'starts with', 'ends with'];

test.each<[string, unknown, string, string[]]>([
  ['Select', 'done', 'done', [...COMPARED, 'is not blank']],
  ['Select', undefined, 'e', ['is not', 'is not exact', 'does not contain', 'is not blank']],
  ['Multi-select', ['a', 'done'], 'done', [...COMPARED, 'is not blank']],
  ['Multi-select', [], '', [...COMPARED, 'is blank']],
  ['Multi-select', [], 'e', ['is not', 'is not exact', 'does not contain', 'is blank']],
  ['Multi-select', undefined, 'e', ['is not', 'is not exact', 'does not contain', 'is not blank']],
  ['Checkbox', ['done'], 'done', [...COMPARED, 'is not blank', 'is checked']],
  ['Checkbox', [], 'e', ['is not', 'is not exact', 'does not contain', 'is blank', 'is unchecked']],
])('%s: %j compared with "%s"', (type, value, val, names) => {
  expect(listMatching(getKind(createField(type)).operators, value, val)).toEqual(names);
});

describe('the text by which a multiple choice is searched', () => {
  const LANGUAGES = toOptions({ c: 'C', cpp: 'C++' });
  const find = (options: object, value: unknown) => {
    const field = createField('Multi-select', options);
    return getKind(field).encodeSearchText(value, field, UTC);
  };

  test.each<[object, unknown, string]>([
    [LANGUAGES, 'C++', 'cpp'],
    [LANGUAGES, ['cpp'], 'cpp'],
    [LANGUAGES, 'pp', 'pp'],
    [{}, 'any text', 'any text'],
  ])('%j: %j is %j', (options, value, text) => {
    expect(find(options, value)).toBe(text);
  });

  test.each<[object, unknown, string]>([
    // "c" would find the records with "cpp" too.
    [LANGUAGES, 'C', 'part of other choices: "C++" (cpp)'],
    [toOptions({ r: 'Red', d: 'red' }), 'RED', 'part of other choices: "red" (d)'],
    [LANGUAGES, 'java', 'Its choices are: C, C++.'],
    [LANGUAGES, ['C', 'C++'], 'Multi-select. Its choices are: C, C++.'],
    [{}, { id: 1 }, 'A valid value: "Open".'],
  ])('%j: %j is refused', (options, value, reason) => {
    expect(catchTexts(() => find(options, value))[1]).toContain(reason);
  });
});
