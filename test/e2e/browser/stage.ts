import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { startService, type Service, type ServiceOptions } from '../../service';
import { installPackage, RELEASES, type N8nRelease } from '../n8n';
import { N8nApi, OWNER, type N8nWorkflow } from '../n8nApi';
import { N8nProcess } from '../n8nProcess';
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

interface Node {
  id: string;
  name: string;
  type: string;
  typeVersion: number;
  position: [number, number];
  parameters: object;
  credentials?: object;
}

/** The service with sample data, a real n8n with the packed package and a credential, and a browser that is signed in. */
export class Stage {
  private constructor(
    readonly service: Service,
    readonly api: N8nApi,
    readonly editor: Editor,
    readonly credential: { id: string; name: string },
    private readonly n8n: N8nProcess,
    private readonly browser: Browser,
    private readonly userFolder: string,
  ) {}

  static async open(options: Partial<ServiceOptions> = {}): Promise<Stage> {
    const userFolder = mkdtempSync(join(tmpdir(), 'n8n-e2e-'));
    installPackage(userFolder);
    const service = await startService(options);
    const n8n = await N8nProcess.start({ port: PORT, userFolder, release: RELEASE });
    const api = new N8nApi(n8n.url);
    await api.logIn();
    const credential = await api.saveCredential(CREDENTIAL_NAME, {
      baseUrl: service.baseUrl,
      ...service.keys,
    });
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: OFFLINE });
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const editor = new Editor(page, n8n.url);
    await editor.signIn(OWNER.email, OWNER.password);
    return new Stage(service, api, editor, credential, n8n, browser, userFolder);
  }

  get n8nUrl(): string {
    return this.n8n.url;
  }

  get page(): Page {
    return this.editor.page;
  }

  /** A workflow of these nodes in a row, with the credential in place, opened in the editor. */
  async workflow(
    name: string,
    ...nodes: Array<Pick<Node, 'name' | 'type' | 'parameters'>>
  ): Promise<N8nWorkflow> {
    const { credential } = this;
    const full = nodes.map((node, index) => ({
      id: `node-${index}`,
      typeVersion: 1,
      position: [index * 220, 0],
      ...node,
      ...(node.type.includes('record-database') && { credentials: { recordDatabaseApi: credential } }),
    }));
    const connections = Object.fromEntries(
      full
        .slice(1)
        .map((node, index) => [full[index]!.name, { main: [[{ node: node.name, type: 'main', index: 0 }]] }]),
    );
    const made = await this.api.createWorkflow({
      name,
      nodes: full,
      connections,
      settings: {},
      active: false,
    });
    await this.editor.openWorkflow(made.id);
    return made;
  }

  /** A picture of what the browser shows, in light and dark; the README's are made with SCREENSHOTS=docs/images. */
  async picture(name: string): Promise<void> {
    const folder = process.env.SCREENSHOTS ?? join('reports', 'e2e', RELEASE.name);
    mkdirSync(folder, { recursive: true });
    // n8n's own notices lie over the form for some seconds.
    await this.page
      .locator('.el-notification')
      .first()
      .waitFor({ state: 'hidden', timeout: 8_000 })
      .catch(() => undefined);
    for (const colorScheme of ['dark', 'light'] as const) {
      await this.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await this.page.waitForTimeout(300);
      await this.page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
    }
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.n8n.stop();
    await this.service.stop();
    rmSync(this.userFolder, { recursive: true, force: true });
  }
}
