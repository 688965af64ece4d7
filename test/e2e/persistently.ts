/* eslint-disable @n8n/community-nodes/require-node-api-error, no-console -- not shipped: runs on Node */
const ATTEMPTS = 4;

const pause = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** Repeats work that uses the network, so that a short network failure does not end a run of half an hour. */
export function persistently(what: string, work: () => void): void {
  for (let attempt = 1; ; attempt++) {
    try {
      return work();
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      console.log(`${what} failed (${(error as Error).message}); it is tried again …`);
      pause(15_000 * attempt);
    }
  }
}
