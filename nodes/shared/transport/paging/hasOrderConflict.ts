/**
 * Checks whether the sequences contradict each other: a record is before another one in one sequence and
 * after it, directly or through other records, in another sequence. A moved record causes that; insertions
 * and deletions do not. Uses Kahn's algorithm in linear time.
 */
export function hasOrderConflict(sequences: string[][]): boolean {
  const followers = new Map<string, string[]>();
  const predecessorCounts = new Map<string, number>();
  for (const sequence of sequences) {
    const ids = [...new Set(sequence)];
    ids.forEach((id, index) => {
      const previous = followers.get(ids[index - 1] ?? '');
      if (index > 0 && previous) previous.push(id);
      if (!followers.has(id)) followers.set(id, []);
      predecessorCounts.set(id, (predecessorCounts.get(id) ?? 0) + (index > 0 ? 1 : 0));
    });
  }
  const free = [...predecessorCounts].filter(([, count]) => count === 0).map(([id]) => id);
  let sortedCount = 0;
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    sortedCount++;
    for (const follower of followers.get(id) ?? []) {
      const left = (predecessorCounts.get(follower) ?? 0) - 1;
      predecessorCounts.set(follower, left);
      if (left === 0) free.push(follower);
    }
  }
  return sortedCount < predecessorCounts.size;
}
