import { parseBoolean } from '../../../../nodes/n8n/parameters/parameter';
import { InputError } from '../../../../nodes/service';

test.each<[unknown, boolean]>([
  [true, true],
  [false, false],
  ['true', true],
  [' FALSE ', false],
  ['1', true],
  [0, false],
  ['Yes', true],
  ['no', false],
])('%p is %p', (value, expected) => {
  expect(parseBoolean(value, 'Flag')).toBe(expected);
});

test.each([
  [undefined, 'undefined'],
  [null, 'null'],
  ['', '""'],
  ['maybe', '"maybe"'],
  [2, '2'],
  [{}, '{}'],
  ['constructor', '"constructor"'],
  ['__proto__', '"__proto__"'],
])('%p is no boolean', (value, shown) => {
  const parse = () => parseBoolean(value, 'Flag');
  expect(parse).toThrow(InputError);
  expect(parse).toThrow(
    expect.objectContaining({
      message: `Flag cannot be ${shown}`,
      description: 'Give true or false. An expression may have returned nothing.',
    }),
  );
});
