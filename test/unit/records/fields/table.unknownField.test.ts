import { Table, UnknownFieldError } from '../../../../nodes/records';
import { createUnknownFieldError } from '../../../../nodes/records/fields/table';
import { InputError } from '../../../../nodes/service';
import { parseField } from './fieldTools';

function catchError(run: () => unknown): UnknownFieldError {
  try {
    run();
  } catch (error) {
    return error as UnknownFieldError;
  }
  throw new Error('Nothing was thrown');
}

const createTable = (...fields: Array<[slug: string, name: string, type: string]>) =>
  new Table(
    't1',
    fields.map(([slug, name, type]) => parseField({ slug, name, type })),
  );

const createError = (table: Table, name: string) => createUnknownFieldError(table, name, 'Sort');

test('the error has the table, whose fields may be out of date', () => {
  const table = createTable(['company', 'Company', 'Text']);
  const error = createError(table, 'phone');
  expect(error).toBeInstanceOf(UnknownFieldError);
  expect(error).toBeInstanceOf(InputError);
  expect(error.table).toBe(table);
});

test.each([
  ['compny', 'Did you mean "Company"? '],
  ['comp', 'Did you mean "Company"? '],
  [
    'id',
    'A record ID is no field. Every returned record has its ID. To read, update or delete one record, use Get, Update or Delete with its Record ID. ',
  ],
  ['vat_3', 'Did you mean "Tax Number" or "TAX NUMBER"? '],
  ['weigh', 'Did you mean "Weight [weight_1]" or "Weight [weight_2]"? '],
  ['zzzzzzzz', ''],
])('the error for the unknown name "%s" suggests: %s', (name, hint) => {
  const table = createTable(
    ['company', 'Company', 'Text'],
    ['vat_1', 'Tax Number', 'Number'],
    ['vat_2', 'TAX NUMBER', 'Text'],
    ['weight_1', 'Weight', 'Number'],
    ['weight_2', 'Weight', 'Number'],
    ['email', 'Email', 'Email'],
  );
  const { message, description } = createError(table, name);
  expect({ message, description }).toEqual({
    message: `Sort: the table has no field "${name}"`,
    description: `${hint}The fields are: Company (Text), Tax Number (Number), TAX NUMBER (Text), Weight [weight_1] (Number), Weight [weight_2] (Number), Email, Created At (Date-Time).`,
  });
});

describe('the error for a large table', () => {
  const describeTable = (count: number) => {
    // Every table has `created_at` too.
    const slugs = Array.from({ length: count - 1 }, (_, index) => `f${index + 1}`);
    const table = createTable(...slugs.map((slug): [string, string, string] => [slug, slug, 'Text']));
    return createError(table, 'zzzzzzzz').description;
  };
  const list = (count: number) =>
    Array.from({ length: count }, (_, index) => `f${index + 1} (Text)`).join(', ');

  test.each([
    [40, `${list(39)}, Created At (Date-Time).`],
    [41, `${list(40)}, ….`],
    [60, `${list(40)}, ….`],
  ])('of %p fields lists the first 40', (count, fields) => {
    expect(describeTable(count)).toBe(`The fields are: ${fields}`);
  });
});

test('the error shows at most 80 characters of a name', () => {
  const { message } = createError(createTable(), 'x'.repeat(100_000));
  expect(message).toBe(`Sort: the table has no field "${'x'.repeat(77)}…"`);
});

test('the error for a name of several fields shows each with its slug', () => {
  const table = createTable(['a', 'Price', 'Number'], ['b', 'PRICE', 'Number'], ['home', 'Home', 'Address']);
  const { message, description } = catchError(() => table.findRef('price'));
  expect(message).toBe('"price" is the name of several fields: "a" ("Price"), "b" ("PRICE")');
  expect(description).toBe('Nothing was sent. Give the slug of one of them: a, b.');
  expect(table.findRef('PRICE')?.field.slug).toBe('b');
});
