/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import type { Locator, Page } from 'playwright-core';
import { byId, NodeForm } from './nodeForm';

/** Pixels around the outermost nodes in a picture of a canvas, and below them, where their names stand. */
const CANVAS_MARGIN = 40;
const NAMES_MARGIN = 80;

/** Hides what n8n shows over the canvas, and the dots of its background. */
const WITHOUT_CONTROLS =
  '.vue-flow__panel, .vue-flow__controls, .vue-flow__background, [data-test-id^="execute-workflow-button"], [class*="executionButtons"] { display: none !important; }';

/** n8n's editor in a browser. */
export class Editor {
  constructor(
    readonly page: Page,
    private readonly url: string,
  ) {}

  async signIn(email: string, password: string): Promise<void> {
    await this.page.goto(`${this.url}/signin`);
    await this.page.fill('input[name=emailOrLdapLoginId]', email);
    await this.page.fill('input[type=password]', password);
    await this.page.keyboard.press('Enter');
    await this.page.waitForURL(({ pathname }) => !pathname.includes('signin'));
  }

  async openWorkflow(id: string): Promise<void> {
    await this.page.goto(`${this.url}/workflow/${id}`);
    await this.page.locator(byId('canvas-node')).first().waitFor();
  }

  /** Opens an empty workflow, as Create Workflow does. */
  async newWorkflow(): Promise<void> {
    await this.page.goto(`${this.url}/workflow/new`);
    await this.page.locator(byId('canvas-add-button')).waitFor();
  }

  private listNames(nodes: Locator): Promise<string[]> {
    return nodes.evaluateAll((all) => all.map((node) => node.getAttribute('data-node-name') ?? '').sort());
  }

  /** The names of the nodes on the canvas, without sticky notes. */
  listNodes(): Promise<string[]> {
    return this.listNames(this.page.locator(byId('canvas-node')));
  }

  /** The names of the nodes that n8n marks in red, because of a missing credential or a value that is not valid. */
  listNodesWithIssues(): Promise<string[]> {
    const mark = this.page.locator(byId('node-issues'));
    return this.listNames(this.page.locator(byId('canvas-node')).filter({ has: mark }));
  }

  /** Closes the suggestions that n8n 2 shows over the canvas of a published workflow. */
  async closeChecklist(): Promise<void> {
    const checklist = this.page.getByText('Production Checklist').filter({ visible: true });
    if ((await checklist.count()) === 0) return;
    await checklist.locator('xpath=following::*[name()="svg"][1]').click();
    await checklist.waitFor({ state: 'hidden' });
  }

  /** Opens the palette with the plus button after the last node and searches. */
  async searchPalette(text: string): Promise<void> {
    await this.page.locator(byId('canvas-handle-plus')).last().click();
    await this.page.fill(byId('node-creator-search-bar'), text);
  }

  private inPalette(name: string): Locator {
    const names = this.page.locator(`${byId('node-creator-item-name')}:visible`);
    return names.getByText(name, { exact: true }).first();
  }

  /** Waits until the palette lists all given entries, because n8n draws a long list in parts. */
  async paletteLists(...names: string[]): Promise<void> {
    for (const name of names) await this.inPalette(name).waitFor();
  }

  async pickFromPalette(name: string): Promise<void> {
    await this.inPalette(name).click();
  }

  /** Adds an action of the package from the palette, which opens its form. */
  async addNode(node: string, action: string): Promise<NodeForm> {
    await this.searchPalette(node);
    await this.pickFromPalette(node);
    await this.pickFromPalette(action);
    return this.form();
  }

  /** Adds an action to an empty workflow: there the palette shows the triggers of a node, and its actions on a click. */
  async addFirstNode(node: string, action: string): Promise<NodeForm> {
    await this.page.locator(`${byId('canvas-add-button')} button`).click();
    await this.page.fill(byId('node-creator-search-bar'), node);
    await this.pickFromPalette(node);
    await this.page.getByText(/^Actions \(\d+\)$/).click();
    await this.pickFromPalette(action);
    return this.form();
  }

  async openNode(name: string): Promise<NodeForm> {
    await this.page.locator(`${byId('canvas-node')}[data-node-name="${name}"]`).dblclick();
    return this.form();
  }

  private async form(): Promise<NodeForm> {
    const form = new NodeForm(this.page);
    await form.root.waitFor();
    return form;
  }

  /** A new credential's form, of our type. */
  async newCredential(): Promise<void> {
    await this.page.goto(`${this.url}/home/credentials/create`);
    const search = this.page.locator(`${byId('new-credential-type-select')} input`);
    await search.fill('Record Database');
    await this.page
      .locator(`${byId('new-credential-type-select-option')}:visible`)
      .filter({ hasText: 'Record Database API' })
      .click();
    await this.page.click(byId('new-credential-type-button'));
    // Before the name is there, n8n refuses to save.
    await this.page.waitForFunction((name) => {
      const shown = document.querySelector(name);
      return shown?.textContent?.trim() || shown?.querySelector('input')?.value;
    }, byId('credential-name'));
  }

  /** Fills the open credential form, saves it and waits for the test. @returns what the form says about it */
  async saveCredential(values: Record<string, string>): Promise<string> {
    const dialog = this.page.locator(byId('credential-edit-dialog'));
    for (const [name, value] of Object.entries(values)) {
      await dialog.locator(`${byId(`parameter-input-${name}`)} input`).fill(value);
    }
    const tested = this.page.waitForResponse((response) => response.url().endsWith('/credentials/test'));
    await this.page.click(byId('credential-save-button'));
    const { data } = (await (await tested).json()) as { data: { status: string } };
    // Until n8n redraws the form, it shows the result of an earlier test.
    const outcome = data.status === 'OK' ? /tested successfully/i : /couldn.t connect/i;
    await dialog.getByText(outcome).filter({ visible: true }).first().waitFor();
    const more = dialog.getByText('More details');
    if (await more.isVisible()) await more.click();
    return dialog.locator(byId('node-credentials-config-container')).innerText();
  }

  /** Saves and turns the workflow on: n8n 2 publishes it by a dialog, n8n 1 by a switch. */
  async publish(): Promise<void> {
    const publish = this.page.locator(byId('workflow-open-publish-modal-button'));
    const turnOn = this.page.locator(byId('workflow-activate-switch'));
    await publish.or(turnOn).first().waitFor();
    await this.page.keyboard.press('Control+s');
    if (await publish.isVisible()) {
      await publish.click();
      await this.page.click(byId('workflow-publish-button'));
    } else {
      // The switch does not wait until the workflow is saved. If pressed too early, it starts the previous version.
      await this.page.locator(byId('workflow-save-button')).getByText('Saved').waitFor();
      await turnOn.click();
    }
    await this.page.getByText('Got it').click();
  }

  async unpublish(): Promise<void> {
    const menu = this.page.locator(byId('version-menu-button'));
    const turnOff = this.page.locator(byId('workflow-activate-switch'));
    await menu.or(turnOff).first().waitFor();
    if (!(await menu.isVisible())) return turnOff.click();
    await menu.click();
    await this.page.click(byId('version-menu-item-unpublish'));
    await this.page
      .getByRole('dialog')
      .getByRole('button', { name: /unpublish/i })
      .click();
  }

  /** Opens a workflow's list of executions and waits until it and its preview show so many that succeeded. */
  async succeededExecutions(id: string, count: number): Promise<void> {
    await this.page.goto(`${this.url}/workflow/${id}/executions`);
    await this.page.waitForFunction(
      (wanted) => (document.body.innerText.match(/Succeeded in/g) ?? []).length >= wanted,
      count,
    );
  }

  /** Takes a picture of the nodes and notes on the canvas, without the controls of the editor. @returns a WebP file */
  async drawCanvas({ width, quality }: { width: number; quality: number }): Promise<Buffer> {
    const { page } = this;
    await page.click(byId('zoom-to-fit'));
    // The canvas moves for some time. A timer of the page waits longer, also in a slow browser.
    await page.evaluate(() => new Promise((moved) => setTimeout(moved, 1_000)));
    const parts = await page.locator('.vue-flow__node').all();
    const boxes = (await Promise.all(parts.map((part) => part.boundingBox()))).filter((box) => box !== null);
    const left = Math.min(...boxes.map(({ x }) => x)) - CANVAS_MARGIN;
    const top = Math.min(...boxes.map(({ y }) => y)) - CANVAS_MARGIN;
    const right = Math.max(...boxes.map((box) => box.x + box.width)) + CANVAS_MARGIN;
    const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + NAMES_MARGIN;
    const clip = { x: left, y: top, width: right - left, height: bottom - top };
    const png = await page.screenshot({ clip, style: WITHOUT_CONTROLS });
    const webp = await page.evaluate(
      async ([source, maxWidth, compression]) => {
        const image = new Image();
        image.src = source;
        await image.decode();
        const scale = Math.min(1, maxWidth / image.width);
        const canvas = document.createElement('canvas');
        canvas.width = Math.round(image.width * scale);
        canvas.height = Math.round(image.height * scale);
        canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
        return canvas.toDataURL('image/webp', compression);
      },
      [`data:image/png;base64,${png.toString('base64')}`, width, quality] as const,
    );
    return Buffer.from(webp.split(',')[1] ?? '', 'base64');
  }
}
