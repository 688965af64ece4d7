/** Calculates the Levenshtein distance of two short words. */
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

/** Longer names are not compared: the time for the edit distance grows with the product of both lengths. */
const MAX_LENGTH = 100;

/** Finds up to three of `names` that `word` may be a misspelling of, nearest first. */
export function findSimilarNames(word: string, names: string[]): string[] {
  if (word.length > MAX_LENGTH) return [];
  const wanted = word.toLowerCase();
  const maxDistance = Math.max(2, Math.floor(wanted.length / 3));
  return names
    .filter(({ length }) => length <= MAX_LENGTH)
    .map((name) => ({ name, far: calculateEditDistance(wanted, name.toLowerCase()) }))
    .filter(({ name, far }) => far <= maxDistance || name.toLowerCase().includes(wanted))
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ name }) => name);
}

/**
 * Converts a name to a key that is equal for all its spellings: "Credit Limit", "creditLimit" and "credit-limit"
 * become "creditlimit". Empty for a name without letters and digits.
 */
export const toNameKey = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/**
 * Finds the only candidate that has the name in another spelling. Undefined if there is none, or if several
 * have it.
 * @param listNames lists the names of a candidate
 */
export function findBySpelling<T>(
  name: string,
  candidates: readonly T[],
  listNames: (candidate: T) => string[],
): T | undefined {
  const key = toNameKey(name);
  if (key === '') return undefined;
  const [found, ...others] = candidates.filter((candidate) =>
    listNames(candidate).some((candidateName) => toNameKey(candidateName) === key),
  );
  return others.length === 0 ? found : undefined;
}
