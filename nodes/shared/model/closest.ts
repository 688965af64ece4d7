/** Edit distance of two short words (Levenshtein), enough to find the name that a typo meant. */
function distance(a: string, b: string): number {
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

/** Up to three of `names` that `word` may have meant, nearest first; empty when none is near. */
export function closest(word: string, names: string[]): string[] {
  const wanted = word.toLowerCase();
  const reach = Math.max(2, Math.floor(wanted.length / 3));
  return names
    .map((name) => ({ name, far: distance(wanted, name.toLowerCase()) }))
    .filter(({ name, far }) => far <= reach || name.toLowerCase().includes(wanted))
    .sort((a, b) => a.far - b.far)
    .slice(0, 3)
    .map(({ name }) => name);
}
