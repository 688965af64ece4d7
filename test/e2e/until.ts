import { setTimeout as wait } from 'node:timers/promises';

/** Waits for what has no time of its own, and says what it was if it never comes. */
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
