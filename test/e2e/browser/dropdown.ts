import type { Locator, Page } from 'playwright-core';

/** How long one attempt waits; what n8n has drawn anew meanwhile is tried again. */
export const PATIENCE = { timeout: 15_000 };
const ATTEMPTS = 10;

/**
 * Does it again where n8n closed a list meanwhile, drew it anew, or shows it as loading for ever.
 * @throws with what the page shows at the end
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
 * A dropdown of n8n's forms. Its box names its own list and says whether that is open: what is seen on the
 * page may be another dropdown's list, which is still fading out.
 */
export class Dropdown {
  private readonly box: Locator;
  private readonly arrow: Locator;

  constructor(scope: Locator) {
    this.box = scope.locator('input[role=combobox]').last();
    this.arrow = scope.locator('.el-select__caret').first();
  }

  /** What it offers at the moment. */
  choices(): Promise<string[]> {
    return again(this.box.page(), async () => {
      const options = await this.open();
      const offered = await options.locator('.option-headline').allInnerTexts();
      if (!offered.join('')) throw new Error('the list closed while it was read');
      await this.close();
      return offered;
    });
  }

  /** Of several chosen entries the box shows none itself: `shows` says where to look then. */
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

  /** By its arrow: the Escape key closes the whole form where the list is closed already. */
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
