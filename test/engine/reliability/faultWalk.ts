/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import processCache from '../../environment/processCache';
import { chainNodes, createNode, type Engine, type Run } from '../../harness';
import { scaleRuns } from '../../randomness';
import { type Fault, type Service, startService } from '../../service';
import { START, toLocator } from '../support/testEnvironment';

/** A write, and what goes wrong at one of its requests. */
export interface FaultCase {
  operation: 'update' | 'upsert' | 'save';
  /** How the service reads a field that an update leaves out. */
  omittedOnUpdate: 'keep' | 'blank';
  fault?: string;
  /** Requests of the write that pass before the fault. */
  position: number;
  /** Whether the fault applies to one request or to all requests from then on. */
  lasts: boolean;
}

/** What a case works with. No other case uses the service meanwhile. */
export interface Scene {
  service: Service;
  /** A part of a node: the credential with an address of this case alone. */
  credential: object;
  /** Differs between cases, for names and unique values. */
  number: number;
}

export const PAGES = 'n8n-nodes-record-database.recordDatabasePages';
export const READINGS = ['keep', 'blank'] as const;

export const FAULTS: Record<string, Fault> = {
  '500': { type: 'status', status: 500 },
  'daily limit': { type: 'rateLimit', scope: 'day', retryAfter: 3600 },
  'key disabled': { type: 'status', status: 401, body: { type: 'error', msg: 'API Disabled', status: 401 } },
  'lost answer': { type: 'reset', when: 'after' },
  timeout: { type: 'stall', ms: 3_600_000 },
  cancellation: { type: 'stall', ms: 200 },
};

/** Most of a case is waiting for timeouts. */
const CONCURRENCY = 40;

/** The requests of a write. Those for fields, components and the login are not part of it. */
const WRITE_REQUEST = /\/(records|save)/;

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

  constructor(private readonly engine: Engine) {}

  /** Runs `work` in a scene. `userLogin` adds the login of the sample user to the credential. */
  async use<T>(
    { omittedOnUpdate }: FaultCase,
    userLogin: boolean,
    work: (scene: Scene) => Promise<T>,
  ): Promise<T> {
    const found = this.idle.findIndex(({ options }) => options.omittedOnUpdate === omittedOnUpdate);
    const [service = await this.startService(omittedOnUpdate)] = found < 0 ? [] : this.idle.splice(found, 1);
    const number = countCase();
    const { email, password } = service.user;
    const login = userLogin && { userLogin, email, password };
    const data = { baseUrl: spellAnew(service.baseUrl, number), ...service.keys, ...login };
    const id = `case ${number}`;
    const reference = await this.engine.setCredential('recordDatabaseApi', data, { id, name: id });
    const credential = { credentials: { recordDatabaseApi: reference } };
    try {
      return await work({ service, credential, number });
    } finally {
      service.faults.clear();
      this.idle.push(service);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.started.map((service) => service.stop()));
  }

  private async startService(omittedOnUpdate: FaultCase['omittedOnUpdate']): Promise<Service> {
    const service = await startService({ perMinute: 100_000, perDay: 1e7, omittedOnUpdate });
    this.started.push(service);
    return service;
  }
}

/**
 * Finds the component of a page that is named like its table, as parameters of a node. Services with the same seed have
 * the same IDs, so the lists of one service are enough.
 */
export async function findComponent(
  engine: Engine,
  { credential }: Scene,
  names: { page: string; childPage?: string; component: string },
) {
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

export const formatError = ({ error }: Run): string => {
  const { message = '', description = '' } = (error ?? {}) as { message?: string; description?: string };
  return `${message} ${description}`.trim();
};

/** Returns a case for each fault at each of the first `maxRequests` requests, once and from then on. */
export const createFaultyCases = <C extends FaultCase>(one: C, faults: string[], maxRequests: number): C[] =>
  faults.flatMap((fault) =>
    Array.from({ length: maxRequests }).flatMap((_, position) =>
      [false, true].map((lasts) => ({ ...one, fault, position, lasts })),
    ),
  );

/** Returns the share of the cases that this run of the tests draws, spread over all by a prime. */
export const drawCases = <C>(cases: C[]): C[] =>
  cases.filter((_, index) => (index * 7919) % cases.length < scaleRuns(cases.length));

/** Runs cases side by side. @returns what is wrong with their outcomes */
export async function runAll<C>(cases: C[], runCase: (one: C) => Promise<string[]>): Promise<string[]> {
  const wrong: string[] = [];
  const left = [...cases];
  const work = async () => {
    for (let one = left.shift(); one; one = left.shift()) wrong.push(...(await runCase(one)));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return wrong;
}
