import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { startService, type Service } from '../../service';
import { installPackage, RELEASES, type N8nRelease } from '../n8n';
import { N8nApi, OWNER, type N8nWorkflow } from '../n8nApi';
import { N8nProcess } from '../n8nProcess';
import { removeFolder } from '../removeFolder';
import { CREDENTIAL_NAME } from '../examplesInN8n';
import { Editor } from './editor';

/** Without these Chromium asks for hosts of its maker at every start. */
const OFFLINE = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The release under test; `npm run e2e` runs the same tests for each. */
export const RELEASE: N8nRelease = process.env.N8N_RELEASE === 'v1' ? RELEASES.v1 : RELEASES.newest;
const PORT = RELEASE === RELEASES.v1 ? 19_200 : 19_100;

const VIEW = { width: 1440, height: 900 };

/** How to end what was started, in the order in which it was. */
type Ends = Array<() => unknown>;

async function endAll(ends: Ends): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}

interface Node {
  name: string;
  type: string;
  parameters: object;
}

/** The service with sample data, a real n8n with the packed package and a credential, and a browser that is signed in. */
export class Stage {
  private constructor(
    readonly service: Service,
    readonly n8nUrl: string,
    readonly api: N8nApi,
    readonly editor: Editor,
    readonly credential: { id: string; name: string },
    private readonly ends: Ends,
  ) {}

  /** What was started is ended again where a later step fails. */
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
    const userFolder = mkdtempSync(join(tmpdir(), 'n8n-e2e-'));
    ends.push(() => removeFolder(userFolder));
    installPackage(userFolder);
    const service = await startService();
    ends.push(() => service.stop());
    const n8n = await N8nProcess.start({ port: PORT, userFolder, release: RELEASE });
    ends.push(() => n8n.stop());
    const api = new N8nApi(n8n.url);
    await api.logIn();
    const keys = { baseUrl: service.baseUrl, ...service.keys };
    const credential = await api.saveCredential(CREDENTIAL_NAME, keys);
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: OFFLINE });
    ends.push(() => browser.close());
    const context = await browser.newContext({ viewport: VIEW });
    const page = await context.newPage();
    page.setDefaultTimeout(180_000);
    const editor = new Editor(page, n8n.url);
    await editor.signIn(OWNER.email, OWNER.password);
    return new Stage(service, n8n.url, api, editor, credential, ends);
  }

  get page(): Page {
    return this.editor.page;
  }

  /** A workflow that begins with this node, opened in the editor. Our nodes get the credential. */
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

  /** A picture of what the browser shows, in light and dark; the README's are made with SCREENSHOTS=docs/images. */
  async picture(name: string, height = VIEW.height): Promise<void> {
    const folder = process.env.SCREENSHOTS ?? join('reports', 'e2e', RELEASE.name);
    mkdirSync(folder, { recursive: true });
    // n8n's own notices lie over the form for some seconds.
    await this.page
      .locator('.el-notification')
      .first()
      .waitFor({ state: 'hidden', timeout: 8_000 })
      .catch(() => undefined);
    await this.page.setViewportSize({ ...VIEW, height });
    for (const colorScheme of ['dark', 'light'] as const) {
      await this.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await this.page.waitForTimeout(300);
      await this.page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
    }
    await this.page.setViewportSize(VIEW);
  }

  close(): Promise<void> {
    return endAll(this.ends);
  }
}
