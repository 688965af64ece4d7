/** Comparisons of names. Users, language models and services write the same name in different ways. */
import { union } from 'lodash';

function calculateEditDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(swap, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}

/** Longer names are not compared, because the time of a comparison grows with the product of both lengths. */
const MAX_COMPARED_NAME_LENGTH = 100;

export function findSimilarNames(word: string, names: string[]): string[] {
  if (word.length > MAX_COMPARED_NAME_LENGTH) return [];
  const wanted = word.toLowerCase();
  const maxDistance = Math.ceil(wanted.length / 3);
  const isContained = (name: string) => wanted.length > 2 && name.includes(wanted);
  return names
    .filter(({ length }) => length <= MAX_COMPARED_NAME_LENGTH)
    .map((name) => ({ name, far: calculateEditDistance(wanted, name.toLowerCase()) }))
    .filter(({ name, far }) => far <= maxDistance || isContained(name.toLowerCase()))
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ name }) => name);
}

/** Ignores case, outer white space and Unicode composition. All other characters stay: "A+" is not "A". */
export const toNameKey = (name: string): string =>
  name.normalize('NFC').trim().toLowerCase().normalize('NFC');

/** White space, `_` or `-` between two word characters, at least one of which is not a digit. */
const WORD_SEPARATOR_PATTERN =
  /(?<=[\p{L}\p{M}])(?:\s+|_+|-)(?=[\p{L}\p{M}\p{N}])|(?<=\p{N})(?:\s+|_+|-)(?=[\p{L}\p{M}])/gu;

/** A separator between two digits. It becomes a space, because "Rate 1-5" is not "Rate 15". */
const DIGIT_SEPARATOR_PATTERN = /(?<=\p{N})(?:\s+|_+|-)(?=\p{N})/gu;

/** "Credit Limit", "creditLimit" and "credit-limit" become "creditlimit": services make slugs from labels like this. */
export const toLooseNameKey = (name: string): string =>
  toNameKey(name).replace(WORD_SEPARATOR_PATTERN, '').replace(DIGIT_SEPARATOR_PATTERN, ' ');

/** Finds objects such as fields by their names. Equal names take precedence over names with an equal `toKey`. */
export class NameIndex<T> {
  private readonly byName = new Map<string, T[]>();
  private readonly byKey = new Map<string, T[]>();

  /** @param listNames lists the names of one object: a field has a name and a slug */
  constructor(
    candidates: Iterable<T>,
    listNames: (candidate: T) => string[],
    private readonly toKey: (name: string) => string,
  ) {
    for (const candidate of candidates) {
      for (const name of listNames(candidate)) {
        const key = toKey(name);
        this.byName.set(name, union(this.byName.get(name), [candidate]));
        this.byKey.set(key, union(this.byKey.get(key), [candidate]));
      }
    }
  }

  lookUp(name: string): T[] {
    const key = this.toKey(name);
    return key === '' ? [] : (this.byName.get(name) ?? this.byKey.get(key) ?? []);
  }
}
