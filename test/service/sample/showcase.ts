import { sum } from 'lodash';
import type { FieldDefinition, Formula } from '../data/field';
import type { FieldTypeName } from '../data/fieldTypes';
import type { StoredRecord } from '../data/table';
import type { Application } from '../state/application';
import { DAY, formatTimestamp } from '../state/time';

const LETTERS = ['a: Letter A', 'b: Letter B', 'c: Letter C'];

const plain = (['Text', 'Long Text', 'Rich Text', 'Phone', 'Email', 'Number', 'Currency'] as const).map(
  (type): FieldDefinition => ({ name: type, type, description: `Holds one ${type}` }),
);
const moments = (['Decision Box', 'Date', 'Time', 'Date-Time', 'Calendar', 'Name', 'Address'] as const).map(
  (type): FieldDefinition => ({ name: type, type }),
);
const choices = (['Select', 'Radio', 'Dropdown', 'Multi-select', 'Checkbox'] as const).map(
  (type): FieldDefinition => ({ name: type, type, options: LETTERS, defaultValue: 'b' }),
);

/** One field of every type of the spec, named after its type. */
const documentedFields: FieldDefinition[] = [
  ...plain,
  ...moments,
  ...choices,
  { name: 'Connection One', type: 'Connection', to: 'Customers', many: false },
  { name: 'Connection Many', type: 'Connection', to: 'Products' },
  { name: 'File', type: 'File' },
  { name: 'User', type: 'User' },
  {
    name: 'Formula',
    type: 'Formula',
    formula: {
      text: '{number} * {currency}',
      evaluate: ({ number, currency }) => Number(number) * Number(currency),
    },
  },
  { name: 'Unique Text', type: 'Text', unique: true, defaultValue: 'unset' },
];

/** One field of every other type that clients met. */
function createMetFields(app: Application): FieldDefinition[] {
  const listPrices = ({ connection_many }: StoredRecord) =>
    (connection_many as string[]).map((id) => Number(app.findTable('Products')?.records.get(id)?.price));
  const calculated = (name: FieldTypeName, text: string, evaluate: Formula['evaluate']): FieldDefinition => ({
    name,
    type: name,
    formula: { text, evaluate },
  });
  return [
    ...(['Link', 'Slider', 'Rating', 'Date Range', 'Files', 'Image', 'Password'] as const).map(
      (type): FieldDefinition => ({ name: type, type }),
    ),
    { name: 'Select with score', type: 'Select with score', options: LETTERS },
    // The keys `id` and `auto_increment` belong to the record.
    { name: 'Id Field', type: 'Id' },
    { name: 'Auto Increment Field', type: 'Auto Increment' },
    calculated('Complex Formula', 'if({number} > 9, 1, 0)', ({ number }) => Number(Number(number) > 9)),
    calculated('Text Formula', '{text}!', ({ text }) => `${String(text)}!`),
    calculated('Date Formula', '{date}', ({ date }) => date),
    calculated('Equation', '{number} + 1', ({ number }) => Number(number) + 1),
    calculated('Count', 'count({connection_many})', (record) => listPrices(record).length),
    calculated('Sum', 'sum({connection_many.price})', (record) => sum(listPrices(record))),
  ];
}

const ROWS = 24;
const FIRST_DAY = Date.UTC(2025, 5, 1);

/** Rows that differ in every field. Every third row is blank. */
export function fillShowcase(app: Application): void {
  const isMet = app.options.types === 'met';
  const fields = isMet ? [...documentedFields, ...createMetFields(app)] : documentedFields;
  const table = app.addTable({ name: 'Showcase', fields });
  const listIds = (name: string) => [...(app.findTable(name)?.records.keys() ?? [])];
  const [customers, products, users] = [listIds('Customers'), listIds('Products'), listIds('Users')];
  for (let i = 1; i <= ROWS; i++) {
    if (i % 3 === 0) {
      table.insert();
      continue;
    }
    const at = formatTimestamp(FIRST_DAY + i * DAY + i * 1_234_000);
    const letter = 'abc'[i % 3] ?? 'a';
    table.insert({
      text: `Text ${i}`,
      long_text: `First line ${i}\nsecond line`,
      rich_text: `<p>Rich <b>${i}</b></p>`,
      phone: `+1 555 ${2000 + i}`,
      email: `showcase${i}@example.com`,
      number: i,
      currency: i * 1.5,
      decision_box: i % 2,
      date: at.slice(0, 10),
      time: at.slice(11),
      date_time: at,
      calendar: { start: at.slice(0, 10), end: formatTimestamp(FIRST_DAY + (i + 7) * DAY).slice(0, 10) },
      name: { title: 'Dr', first_name: `First ${i}`, middle_name: '', last_name: `Last ${i}` },
      address: {
        address: `${i} Main Street`,
        address2: '',
        city: i % 2 ? 'Northtown' : 'Southport',
        state: 'ND',
        zip: String(10000 + i),
        country: 'Freeland',
        ...(isMet && { lng: `-0.${i}`, lat: `51.${i}` }),
      },
      select: letter,
      radio: letter,
      dropdown: letter,
      multi_select: [letter, 'c'].filter((value, at, all) => all.indexOf(value) === at),
      checkbox: [letter],
      connection_one: customers.slice(i, i + 1),
      connection_many: products.slice(i, i + 2),
      user: users.slice(i % 5, (i % 5) + 1),
      unique_text: `unique ${i}`,
      ...(isMet && createMetValues(app, i, at, letter)),
    });
  }
}

function createMetValues(app: Application, i: number, at: string, letter: string): Record<string, unknown> {
  const storeFile = (filename: string, contentType: string) =>
    app.files.store({ filename, contentType, bytes: Buffer.from(`content of ${filename}`) });
  return {
    file: storeFile(`${i}-a.jpg`, 'image/jpeg'),
    files: ['b', 'c'].slice(i % 2).map((name) => storeFile(`${i}-${name}.pdf`, 'application/pdf')),
    image: { src: `https://files.example/${i}.jpg`, width: 640, height: 480, public_id: `picture-${i}` },
    link: { link: `https://shop.example/${i}` },
    slider: i * 2,
    rating: i % 6,
    date_range: { start: at, end: `${at.slice(0, 10)} 23:30:00`, all_day: i % 2 ? 'No' : 'Yes' },
    select_with_score: letter,
    password: `secret-${i}`,
    // Lists of choices may hold '' and doubles.
    multi_select: [letter, '', 'c', letter],
  };
}
