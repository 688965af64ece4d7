/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import type { Page } from 'playwright-core';

/** Counts clicks from now on, until the page is loaded again. @returns a function that reads the number */
export async function watchClicks(page: Page): Promise<() => Promise<number>> {
  const clicks = await page.evaluateHandle(() => {
    const counter = { count: 0 };
    window.addEventListener('pointerdown', () => void counter.count++, { capture: true });
    return counter;
  });
  return () => clicks.evaluate(({ count }) => count);
}
