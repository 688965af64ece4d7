/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- not shipped: runs on Node */
import type { Locator, Page } from 'playwright-core';

/** Timeout of one attempt in milliseconds. An attempt is repeated if n8n redraws the list. */
export const PATIENCE = { timeout: 15_000 };
const ATTEMPTS = 10;

/**
 * Repeats an action if n8n closes or redraws the list, or does not finish loading it.
 * @throws with the text of the page after the last attempt
 */
export async function again<T>(page: Page, act: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act();
    } catch (error) {
      if (attempt < ATTEMPTS) continue;
      throw new Error(`${(error as Error).message}\nThe page shows: ${await page.innerText('body')}`);
    }
  }
}

/**
 * A dropdown of n8n's forms. The attributes of its box name its list and show whether the list is open. The visible
 * list may belong to another dropdown and still be fading out.
 */
export class Dropdown {
  private readonly box: Locator;
  private readonly arrow: Locator;

  constructor(scope: Locator) {
    this.box = scope.locator('input[role=combobox]').last();
    this.arrow = scope.locator('.el-select__caret').first();
  }

  /** The options that the list shows. */
  choices(): Promise<string[]> {
    return again(this.box.page(), async () => {
      const options = await this.open();
      const offered = await options.locator('.option-headline').allInnerTexts();
      if (!offered.join('')) throw new Error('the list closed while it was read');
      await this.close();
      return offered;
    });
  }

  /** If several entries are chosen, the box shows none of them; `shows` locates the element that does. */
  choose(option: string, shows?: Locator): Promise<void> {
    return again(this.box.page(), async () => {
      const options = await this.open();
      const wanted = options.filter({ has: options.page().getByText(option, { exact: true }) });
      await wanted.first().click(PATIENCE);
      if (shows) await shows.waitFor(PATIENCE);
      await this.close();
      if (!shows) await this.shows(option);
    });
  }

  private async open(): Promise<Locator> {
    if (!(await this.isOpen())) await this.arrow.click(PATIENCE);
    const list = await this.box.getAttribute('aria-controls', PATIENCE);
    const options = this.box.page().locator(`[id="${list}"] [role=option]:visible`);
    await options.first().waitFor(PATIENCE);
    return options;
  }

  /** Closes the list by its arrow, because the Escape key closes the whole form if the list is already closed. */
  private async close(): Promise<void> {
    if (await this.isOpen()) await this.arrow.click(PATIENCE);
  }

  private async isOpen(): Promise<boolean> {
    return (await this.box.getAttribute('aria-expanded', PATIENCE)) === 'true';
  }

  private async shows(option: string): Promise<void> {
    const patience = Date.now() + PATIENCE.timeout;
    while ((await this.box.inputValue(PATIENCE)) !== option) {
      if (Date.now() > patience) throw new Error(`"${option}" was chosen and is not shown`);
      await this.box.page().waitForTimeout(100);
    }
  }
}
