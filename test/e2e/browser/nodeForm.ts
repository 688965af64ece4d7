/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { again, Dropdown, PATIENCE } from './dropdown';

/** One condition of the filter form, by its visible labels. `value` is the input's name and its content. */
export interface ConditionInput {
  field: string;
  operator: string;
  value?: { text: string } | { number: string } | { choice: string };
}

/** The CSS selector of an element with n8n's test id. */
export const byId = (id: string) => `[data-test-id="${id}"]`;

/** The form of an open node. All input is clicked, picked or typed, as a user does it. */
export class NodeForm {
  readonly root: Locator;

  constructor(readonly page: Page) {
    this.root = page.locator(byId('ndv'));
  }

  /** Returns the last input with the name. Also matches its class, because n8n names every text box "parameter-input-field". */
  input(name: string, scope: Locator = this.root): Locator {
    return scope
      .locator(byId(`parameter-input-${name}`))
      .and(this.page.locator('.parameter-value-container, .parameter-switch'))
      .last();
  }

  private dropdown(name: string, scope?: Locator): Dropdown {
    return new Dropdown(this.input(name, scope));
  }

  /** The options that a dropdown shows. */
  choices(name: string, scope?: Locator): Promise<string[]> {
    return this.dropdown(name, scope).choices();
  }

  choose(name: string, option: string, scope?: Locator): Promise<void> {
    return this.dropdown(name, scope).choose(option);
  }

  /** Chooses entries of a list that allows several. */
  async chooseMany(name: string, options: string[]): Promise<void> {
    for (const option of options) {
      const tag = this.input(name).locator('.el-tag').getByText(option, { exact: true });
      await this.dropdown(name).choose(option, tag);
    }
  }

  async type(name: string, text: string, scope?: Locator): Promise<void> {
    await this.fill(this.input(name, scope).locator('input, textarea').first(), text);
  }

  /** Waits until n8n has loaded the list of an input. A click before that does nothing. */
  async hasLoaded(name: string): Promise<void> {
    await this.input(name).locator('input:enabled').first().waitFor();
  }

  /** Clicks into the input as a user does, and types. */
  async clickAndType(name: string, text: string): Promise<void> {
    const input = this.input(name).locator('input, textarea').first();
    await input.click();
    await this.fill(input, text);
  }

  /** Whether the input is visible as a whole before anything was scrolled. */
  async isOnScreen(name: string): Promise<boolean> {
    const input = this.input(name);
    await input.waitFor();
    return input.evaluate((element) => {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      const isShown = (x: number, y: number) => element.contains(document.elementFromPoint(x, y));
      let isScrolled = false;
      for (let parent = element.parentElement; parent; parent = parent.parentElement)
        isScrolled ||= parent.scrollTop > 0;
      return !isScrolled && isShown(left + 2, top + 2) && isShown(right - 2, bottom - 2);
    });
  }

  /** Types a text, and waits until n8n has stored it: a run that starts at once would have the old value. */
  private async fill(input: Locator, text: string): Promise<void> {
    await input.fill(text);
    // n8n stores a value some time after the last key. A timer of the page waits longer, also in a slow browser.
    await this.page.evaluate(() => new Promise((stored) => setTimeout(stored, 500)));
  }

  /** Types the ID in a field that also has a list. */
  async typeId(name: string, id: string): Promise<void> {
    const locator = this.root.locator(byId(`resource-locator-${name}`));
    await new Dropdown(locator.locator(byId('rlc-mode-selector'))).choose('By ID');
    const input = locator.locator(`input${byId('rlc-input')}, ${byId('rlc-input')} input`).first();
    await this.fill(input, id);
  }

  async toggle(name: string): Promise<void> {
    await this.input(name).click();
  }

  /** Picks from a searchable list: an entry by its name, or the first. @returns what the list offers */
  async pick(name: string, entry?: string): Promise<string[]> {
    const input = this.root.locator(`${byId(`resource-locator-${name}`)} ${byId('rlc-input')}`);
    const entries = this.page.locator(`${byId('rlc-item')}:visible`);
    return again(this.page, async () => {
      if (!(await entries.first().isVisible())) await input.click(PATIENCE);
      await entries.first().waitFor(PATIENCE);
      const offered = (await entries.allInnerTexts()).map((text) => text.trim());
      await entries.getByText(entry ?? offered[0] ?? '', { exact: true }).click(PATIENCE);
      await entries.first().waitFor({ ...PATIENCE, state: 'hidden' });
      return offered;
    });
  }

  /** Adds an entry to a list of inputs, like a condition or a group. */
  async add(collection: Locator): Promise<void> {
    await collection.locator(byId('fixed-collection-add')).last().click();
  }

  collection(name: string, scope: Locator = this.root): Locator {
    return scope.locator(byId(`fixed-collection-${name}`));
  }

  /** The conditions at the top of the filter form, or those of the last group. */
  conditions(of: 'filter' | 'group' = 'filter'): Locator {
    if (of === 'filter') return this.collection('conditions').first();
    return this.collection('conditions', this.collection('groups')).last();
  }

  async addCondition({ field, operator, value }: ConditionInput, conditions: Locator): Promise<void> {
    const rows = conditions
      .locator(byId('parameter-input-operator'))
      .and(this.page.locator('.parameter-value-container'));
    const before = await rows.count();
    // A form that reads starts with a row in which nothing was entered.
    const isStart =
      before === 1 && (await this.input('field', conditions).locator('input').first().inputValue()) === '';
    if (!isStart) await this.add(conditions);
    // A field that is chosen while the operators still load does not load them again.
    await rows
      .nth(isStart ? 0 : before)
      .locator('input:enabled')
      .first()
      .waitFor();
    await this.choose('field', field, conditions);
    await this.choose('operator', operator, conditions);
    if (!value) return;
    if ('choice' in value) await this.choose('choiceValue', value.choice, conditions);
    else if ('number' in value) await this.type('numberValue', value.number, conditions);
    else await this.type('value', value.text, conditions);
  }

  /** Runs the step and waits for its end. @returns `131 items`, or the error's message and description */
  async execute(): Promise<string> {
    const button = this.page.locator(`${byId('node-execute-button')}:visible`);
    const begun = this.page.waitForResponse(
      (response) => response.request().method() === 'POST' && /\/workflows\/[^/]+\/run/.test(response.url()),
    );
    await button.first().click();
    // Until then the form shows the result of an earlier run.
    await begun;
    await button.and(this.page.locator(':enabled')).first().waitFor();
    const count = this.root.locator(`${byId('output-panel')} ${byId('ndv-items-count')}`);
    const error = this.root.locator(byId('node-error-message'));
    await count.or(error).first().waitFor();
    if (!(await error.isVisible())) return (await count.innerText()).trim();
    const remedy = await this.root.locator(byId('node-error-description')).innerText();
    return `${await error.innerText()}\n${remedy}`;
  }

  /** Scrolls until the input is at the top of the form. */
  async showFrom(name: string): Promise<void> {
    const withLabel = this.input(name).locator('xpath=ancestor::*[contains(@class, "parameter-item")][1]');
    await withLabel.evaluate((item) => item.scrollIntoView({ block: 'start' }));
  }

  /** Waits until the output panel shows a text. */
  async outputShows(text: string): Promise<void> {
    await this.root.locator(byId('output-panel')).getByText(text).first().waitFor();
  }

  /** Counts the rows of the output's table that are visible as a whole. */
  async countVisibleRows(): Promise<number> {
    const rows = this.root.locator(`${byId('output-panel')} tbody tr`);
    await rows.first().waitFor();
    return rows.evaluateAll(
      (all) =>
        all.filter((row) => {
          const { left, bottom, height } = row.getBoundingClientRect();
          return height > 0 && row.contains(document.elementFromPoint(left + 5, bottom - 3));
        }).length,
    );
  }

  /** Opens the output's first file by its download button. @returns its text */
  async downloadedFile(): Promise<string> {
    await this.root.locator(byId('radio-button-binary')).click();
    const download = this.page.waitForEvent('download');
    await this.root.locator(byId('ndv-download-binary-data')).first().click();
    return readFileSync(await (await download).path(), 'utf8');
  }

  async close(): Promise<void> {
    await this.page
      .locator(byId('ndv-close-button'))
      .or(this.page.locator(byId('back-to-canvas')))
      .first()
      .click();
    await this.root.waitFor({ state: 'hidden' });
  }
}
