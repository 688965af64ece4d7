import fc from 'fast-check';
import { findTable, Table } from '../../../../nodes/records';
import { encodeValue } from '../../../../nodes/records/fields/recordValues';
import { createSeed, scaleRuns } from '../../../randomness';
import { createField } from '../../records/fields/fieldTools';

const RUNS = { numRuns: scaleRuns(20_000), seed: createSeed() };

/** Names as applications have them whose meaning is in a sign, a case, a width or a composition. */
const CURIOUS = [
  ['A', 'A+', 'A++', 'A-', 'a', 'Ａ'],
  ['<18', '>18', '18', '18+', '=18', '!=18'],
  ['-1', '1', '+1', '1.', '−1'],
  ['Price €', 'Price $', 'Price', 'price_€', 'Price  €'],
  ['!active', 'active', 'Active', 'ACTIVE', 'active?'],
  ['é', 'e\u0301', 'É', 'E\u0301', 'e'],
  ['C', 'C#', 'C++', 'c++', 'Ｃ', 'ｃ'],
  ['%', '€', '--', '- -', '!', '?', '…'],
  ['Credit Limit', 'credit_limit', 'credit-limit', 'CreditLimit', 'Credit - Limit'],
  ['Rate 1-5', 'Rate 15', 'rate_1_5', 'Rate 1 5'],
].flat();

const name = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...CURIOUS) },
  fc
    .array(
      fc.constantFrom('a', 'A', 'é', 'e\u0301', 'ß', '1', '2', '+', '-', '_', '<', '>', '!', '€', 'Ａ', ' '),
      {
        minLength: 1,
        maxLength: 4,
      },
    )
    .map((characters) => characters.join(''))
    .filter((text) => text.trim() !== ''),
);
const names = fc.uniqueArray(name, { minLength: 1, maxLength: 6 });

/** The rule for choices, written anew: case, surrounding white space and composition. */
const toPlain = (text: string) => text.trim().normalize('NFD').toLowerCase();

/** The rule for fields and tables: separators between two word characters, unless both are digits. */
function toCompact(text: string): string {
  const characters = [...toPlain(text).normalize('NFC')];
  const isWord = (at: number) => /[\p{L}\p{N}\p{M}]/u.test(characters[at] ?? '');
  const isDigit = (at: number) => /\p{N}/u.test(characters[at] ?? '');
  let compact = '';
  for (let at = 0; at < characters.length; at++) {
    let end = at;
    const sign = characters[at] ?? '';
    if (/[\s_]/.test(sign))
      while (/\s/.test(sign) ? /\s/.test(characters[end] ?? '') : characters[end] === '_') end++;
    else if (sign === '-') end++;
    const isSeparator = end > at && isWord(at - 1) && isWord(end);
    compact += isSeparator ? (isDigit(at - 1) && isDigit(end) ? ' ' : '') : sign;
    if (isSeparator) at = end - 1;
  }
  return compact;
}

/** The positions of the names that a text may mean: the equal one, or those that the rule makes equal. */
function findMeant(text: string, all: string[], toKey: (text: string) => string): number[] {
  const equal = all.indexOf(text);
  if (equal >= 0) return [equal];
  return all.flatMap((one, index) => (toKey(one) === toKey(text) ? [index] : []));
}

const tryIndex = (find: () => string | undefined): number | undefined => {
  try {
    const found = find();
    return found === undefined ? undefined : Number(found.slice(1));
  } catch {
    return undefined;
  }
};

/** The only meaning, or undefined for none and for several. */
const getOnly = ([only, ...others]: number[]) => (others.length === 0 ? only : undefined);

test('a choice is the one with the name, never another', () => {
  fc.assert(
    fc.property(names, fc.oneof(name, fc.constantFrom(...CURIOUS)), (labels, wanted) => {
      const options = labels.map((label, index) => ({ label, value: `v${index}` }));
      const [select, multiple] = ['Select', 'Multi-select'].map((type) => createField(type, { options }));
      const only = getOnly(findMeant(wanted, labels, toPlain));
      const encode = (value: unknown, field = select) =>
        encodeValue(value, field!, { timeZone: 'utc' })[0]?.[1];
      expect(tryIndex(() => encode(wanted) as string)).toBe(only);
      expect(tryIndex(() => (encode([wanted], multiple) as string[])[0])).toBe(only);
      for (const label of labels) expect(encode(label)).toBe(`v${labels.indexOf(label)}`);
    }),
    RUNS,
  );
});

test('a field and a table are those with the name, never others', () => {
  fc.assert(
    fc.property(names, fc.oneof(name, fc.constantFrom(...CURIOUS)), (labels, wanted) => {
      const fields = labels.map((label, index) =>
        createField('Text', { name: label, slug: `s${index}x`, fieldId: `f${index}` }),
      );
      const table = new Table('t', fields);
      const summaries = labels.map((label, index) => ({ id: `T${index}`, name: label }));
      const only = getOnly(findMeant(wanted, labels, toCompact));
      expect(tryIndex(() => table.findRef(wanted)?.field.fieldId)).toBe(only);
      expect(tryIndex(() => findTable(wanted, summaries).id)).toBe(only);
      for (const [index, label] of labels.entries()) {
        expect(table.requireField(label, 'Sort').fieldId).toBe(`f${index}`);
        expect(findTable(label, summaries).id).toBe(`T${index}`);
      }
    }),
    RUNS,
  );
});
