/**
 * Runs tasks with the same key one after the other, and others in parallel.
 */

/**
 * Runs tasks with the same key one after the other, in order of arrival. Tasks with different keys run in
 * parallel.
 */
export class KeyedQueue {
  private readonly lastTasks = new Map<string, Promise<unknown>>();

  /** Number of keys with a task that has not ended. */
  get size(): number {
    return this.lastTasks.size;
  }

  /** Starts `task` after all earlier tasks of `key` have ended, whether they succeeded or failed. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const previous = this.lastTasks.get(key);
    const result = previous ? previous.then(task) : task();
    const settled = result.then(
      () => undefined,
      () => undefined,
    );
    this.lastTasks.set(key, settled);
    try {
      return await result;
    } finally {
      if (this.lastTasks.get(key) === settled) this.lastTasks.delete(key);
    }
  }
}
