const TEXTS = [
  '',
  ' ',
  'a',
  'A+',
  '0',
  '-1',
  '=1+1',
  '{"a": 1}',
  'a, b',
  'Zoë\n"x"',
  '<p>x</p>',
  'null',
  '[]',
];
const DAYS = [null, '2024-02-29', '1969-12-31', '2999-01-01'];
const LETTERS = ['a', 'b', 'c'];

export type Pick = <T>(values: readonly T[]) => T;

/** Picks some of the values. */
export const pickSome = <T>(pick: Pick, values: readonly T[]): T[] =>
  values.filter(() => pick([true, false]));

/** Values of the sample table Showcase for each field that names no file and no other record. */
export function createPlainValues(pick: Pick): Record<string, unknown> {
  const day = () => pick(DAYS);
  const some = <T>(values: readonly T[]) => pickSome(pick, values);
  return {
    text: pick(TEXTS),
    long_text: pick(TEXTS),
    rich_text: pick(TEXTS),
    phone: pick(['', '+1 555 0100', '0100']),
    email: pick(['', 'ada@example.com']),
    number: pick([null, 0, 7, -1.5, 1e12]),
    currency: pick([null, 0, 0.1]),
    decision_box: pick([0, 1]),
    date: day(),
    time: pick([null, '00:00:00', '23:59:59']),
    date_time: pick([null, '2025-03-30 02:30:00', '2025-10-26 02:30:00']),
    calendar: { start: day(), end: day() },
    name: { title: pick(TEXTS), first_name: pick(TEXTS), middle_name: '', last_name: pick(TEXTS) },
    address: {
      address: pick(TEXTS),
      address2: '',
      city: pick(TEXTS),
      state: '',
      zip: pick(['', '012']),
      country: '',
    },
    select: pick(['', ...LETTERS]),
    radio: pick(['', ...LETTERS]),
    dropdown: pick(['', ...LETTERS]),
    multi_select: some(LETTERS),
    checkbox: some(LETTERS),
  };
}
