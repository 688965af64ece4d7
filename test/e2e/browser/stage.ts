/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- not shipped: runs on Node */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import type { Service } from '../../service';
import { endAll, type Ends, RELEASE, startInstallation } from '../installation';
import { type N8nApi, type N8nWorkflow, OWNER } from '../n8nApi';
import { Editor } from './editor';

/** Without these flags Chromium sends requests to hosts of its vendor at every start. */
const OFFLINE = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const VIEW = { width: 1440, height: 900 };

/** Pixels that a picture of a canvas has at most, and the quality of its compression from 0 to 1. */
const CANVAS_PICTURE = { width: 1000, quality: 0.75 };

interface Node {
  name: string;
  type: string;
  parameters: object;
}

/** The service with sample data, n8n with the packed package and a credential, and a browser with a session. */
export class Stage {
  private constructor(
    readonly service: Service,
    readonly n8nUrl: string,
    readonly api: N8nApi,
    readonly editor: Editor,
    readonly credential: { id: string; name: string },
    private readonly ends: Ends,
  ) {}

  /** Starts everything. If a step fails, stops what was started. */
  static async open(): Promise<Stage> {
    const ends: Ends = [];
    try {
      return await Stage.build(ends);
    } catch (error) {
      await endAll(ends);
      throw error;
    }
  }

  private static async build(ends: Ends): Promise<Stage> {
    const { service, n8nUrl, api, credential } = await startInstallation(ends);
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: OFFLINE });
    ends.push(() => browser.close());
    const context = await browser.newContext({ viewport: VIEW });
    const page = await context.newPage();
    page.setDefaultTimeout(180_000);
    const editor = new Editor(page, n8nUrl);
    await editor.signIn(OWNER.email, OWNER.password);
    return new Stage(service, n8nUrl, api, editor, credential, ends);
  }

  get page(): Page {
    return this.editor.page;
  }

  /** Opens a workflow that starts with this node in the editor. Nodes of the package get the credential. */
  async workflow(name: string, first: Node): Promise<N8nWorkflow> {
    const isOurs = first.type.includes('record-database');
    const node = {
      id: 'first',
      typeVersion: 1,
      position: [0, 0],
      ...first,
      ...(isOurs && { credentials: { recordDatabaseApi: this.credential } }),
    };
    const made = await this.api.createWorkflow({
      name,
      nodes: [node],
      connections: {},
      settings: {},
      active: false,
    });
    await this.editor.openWorkflow(made.id);
    return made;
  }

  /** Saves a light and a dark screenshot. SCREENSHOTS=docs/images creates those of the README. */
  async picture(name: string, height = VIEW.height): Promise<void> {
    const folder = process.env.SCREENSHOTS ?? join('reports', 'e2e', RELEASE.name);
    mkdirSync(folder, { recursive: true });
    // n8n's notices cover the form for some seconds.
    await this.page
      .locator('.el-notification')
      .first()
      .waitFor({ state: 'hidden', timeout: 8_000 })
      .catch(() => undefined);
    await this.page.setViewportSize({ ...VIEW, height });
    for (const colorScheme of ['dark', 'light'] as const) {
      await this.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      // Borders and switches fade to the colors of the other scheme.
      await this.page.waitForTimeout(1_000);
      await this.page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
    }
    await this.page.setViewportSize(VIEW);
  }

  /**
   * Saves a small picture of the workflow on the canvas, as WebP: a fifth of a PNG's size. SCREENSHOTS=docs/images
   * creates those of the examples.
   */
  async pictureOfCanvas(name: string): Promise<void> {
    const folder = join(process.env.SCREENSHOTS ?? join('reports', 'e2e', RELEASE.name), 'examples');
    mkdirSync(folder, { recursive: true });
    await this.page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    writeFileSync(join(folder, `${name}.webp`), await this.editor.drawCanvas(CANVAS_PICTURE));
  }

  close(): Promise<void> {
    return endAll(this.ends);
  }
}
