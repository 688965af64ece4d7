/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { setTimeout as wait } from 'node:timers/promises';

/** Waits for a condition. If it does not hold in time, the error names it. */
export async function until(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  seconds = 1_200,
): Promise<void> {
  const patience = Date.now() + seconds * 1_000;
  while (!(await isTrue())) {
    if (Date.now() > patience) throw new Error(`waited in vain for ${what}`);
    await wait(300);
  }
}
