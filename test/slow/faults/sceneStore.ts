/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { START, toLocator } from '../../engine/support/testEnvironment';
import processCache from '../../environment/processCache';
import { chainNodes, createNode, type Engine, type Run, startEngine } from '../../harness';
import { type Service, startService } from '../../service';
import { type FaultCase, FAULTS } from './faultCases';

/** What a case works with. No other case uses the service meanwhile. */
export interface Scene {
  service: Service;
  /** A part of a node: the credential with an address of this case alone. */
  credential: object;
  /** The same with a timeout of 0.3 seconds, which ends the attempts that a fault stalls. */
  hastyCredential: object;
  /** Differs between cases, for names and unique values. */
  number: number;
}

export const PAGES = 'n8n-nodes-record-database.recordDatabasePages';

/** The requests of a write. Those for fields, components and the login are not part of it. */
const WRITE_REQUEST = /\/(records|save)/;

interface ComponentNames {
  page: string;
  childPage?: string;
  component: string;
}

async function fetchComponent(engine: Engine, { credential }: Scene, names: ComponentNames) {
  const find = async (name: string, parameters: object) => {
    const run = await engine.run(chainNodes(START, createNode('Node', PAGES, parameters, credential)));
    const found = run.getJson('Node').find((entry) => entry.name === name);
    return toLocator(String(found!.id));
  };
  const pageId = await find(names.page, { resource: 'page', operation: 'getAll' });
  const children = { resource: 'page', operation: 'getChildren', pageId };
  const page = { pageId, ...(names.childPage && { childPageId: await find(names.childPage, children) }) };
  const components = { resource: 'component', operation: 'getAll', ...page };
  return { ...page, componentId: await find(names.component, components) };
}

/** Counts the cases of all test files of the process. */
function countCase(): number {
  const count = Number(processCache.get('fault cases') ?? 0) + 1;
  processCache.set('fault cases', count);
  return count;
}

/** Spells an address as no case before, with zeros before the port: the process remembers what it learns by address. */
const spellAnew = (baseUrl: string, number: number): string =>
  baseUrl.replace(/\d+$/, (port) => '0'.repeat(number) + port);

/** Services with the sample company. A case takes one that no other case uses. */
export class SceneStore {
  private readonly idle: Service[] = [];
  private readonly started: Service[] = [];
  private readonly components = new Map<string, Promise<object>>();
  engine!: Engine;

  async start(): Promise<void> {
    this.engine = await startEngine();
  }

  /** Runs `work` in a scene. `userLogin` adds the login of the sample user to the credential. */
  async use<T>(userLogin: boolean, work: (scene: Scene) => Promise<T>): Promise<T> {
    const service = this.idle.pop() ?? (await this.startService());
    const number = countCase();
    const { email, password } = service.user;
    const login = userLogin && { userLogin: 'password', email, password };
    const data = {
      baseUrl: spellAnew(service.baseUrl, number),
      ...service.keys,
      ...login,
      advancedSettings: true,
    };
    const id = `case ${number}`;
    const store = async (name: string, settings: object) => ({
      credentials: {
        recordDatabaseApi: await this.engine.setCredential(
          'recordDatabaseApi',
          { ...data, ...settings },
          { id: name, name },
        ),
      },
    });
    const credential = await store(id, {});
    const hastyCredential = await store(`${id}, hasty`, { requestTimeout: 0.3 });
    try {
      return await work({ service, credential, hastyCredential, number });
    } finally {
      service.faults.clear();
      this.idle.push(service);
    }
  }

  async stop(): Promise<void> {
    await this.engine.stop();
    await Promise.all(this.started.map((service) => service.stop()));
  }

  private async startService(): Promise<Service> {
    const service = await startService({ perMinute: 100_000, perDay: 1e7 });
    this.started.push(service);
    return service;
  }

  /** Finds a component, as parameters of a node. Services with the same seed have the same IDs: one service is enough. */
  findComponent(scene: Scene, names: ComponentNames): Promise<object> {
    const key = JSON.stringify(names);
    const found = this.components.get(key) ?? fetchComponent(this.engine, scene, names);
    this.components.set(key, found);
    return found;
  }
}

/** The store of a test file, from its first test to its last. */
export function useSceneStore(): SceneStore {
  const store = new SceneStore();
  beforeAll(() => store.start());
  afterAll(() => store.stop());
  return store;
}

/** Runs a workflow under the fault of a case. @returns the run, and the patterns of the write's requests */
export async function runUnderFault(
  engine: Engine,
  service: Service,
  { fault, position, lasts }: FaultCase,
  workflow: ReturnType<typeof chainNodes>,
  faults = FAULTS,
): Promise<{ run: Run; requests: string[] }> {
  const start = service.requests.length;
  const listSent = () =>
    service.requests
      .slice(start)
      .map(({ pattern }) => pattern)
      .filter((pattern) => WRITE_REQUEST.test(pattern));
  if (fault !== undefined) {
    const when = { pattern: WRITE_REQUEST, skip: position };
    service.faults.add({ when, times: lasts ? Infinity : 1, fault: faults[fault]! });
  }
  const cancel = new AbortController();
  const running = engine.run(workflow, { abortSignal: cancel.signal });
  if (fault === 'cancellation') {
    let done = false;
    void running.finally(() => (done = true));
    while (!done && listSent().length <= position) await new Promise((next) => setTimeout(next, 5));
    cancel.abort();
  }
  return { run: await running, requests: listSent() };
}
