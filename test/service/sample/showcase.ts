import type { FieldDefinition } from '../data/field';
import type { TableDefinition } from '../data/table';
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
const showcaseTable: TableDefinition = {
  name: 'Showcase',
  fields: [
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
  ],
};

const ROWS = 24;
const FIRST_DAY = Date.UTC(2025, 5, 1);

/** Rows that differ in every field. Every third row is blank. */
export function fillShowcase(app: Application): void {
  const table = app.addTable(showcaseTable);
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
    });
  }
}
