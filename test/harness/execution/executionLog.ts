/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import type { Run } from './run';

/** The executions a trigger started, in order of arrival. */
export class ExecutionLog {
  private readonly arrived: Array<{ run?: Run; done: Promise<unknown> }> = [];
  private waiting: Array<() => void> = [];

  /** Executions that have ended. */
  get finished(): Run[] {
    return this.arrived.flatMap(({ run }) => run ?? []);
  }

  get runningCount(): number {
    return this.arrived.length - this.finished.length;
  }

  add(execution: Promise<Run>) {
    const entry: { run?: Run; done: Promise<unknown> } = { done: execution };
    this.arrived.push(entry);
    entry.done = execution.then((run) => {
      entry.run = run;
      const callbacks = this.waiting;
      this.waiting = [];
      callbacks.forEach((callback) => callback());
    });
    return execution;
  }

  /** Waits until at least `count` executions have ended. */
  async waitFor(count: number, timeoutMs = 300_000): Promise<Run[]> {
    const deadline = Date.now() + timeoutMs;
    while (this.finished.length < count) {
      const left = deadline - Date.now();
      if (left <= 0) {
        const got = `${this.finished.length} (${this.arrived.length} started)`;
        throw new Error(`Expected ${count} executions within ${timeoutMs} ms, got ${got}`);
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.waiting.push(() => (clearTimeout(timer), resolve()));
      });
    }
    return this.finished;
  }

  /** Waits until all executions have ended, including those that start meanwhile. */
  async waitUntilIdle(): Promise<Run[]> {
    for (let seen = -1; seen < this.arrived.length;) {
      seen = this.arrived.length;
      await Promise.allSettled(this.arrived.map(({ done }) => done));
    }
    return this.finished;
  }
}
