/* eslint-disable @n8n/community-nodes/no-restricted-globals -- not shipped: runs on Node */
import { applySync, encodeRecordValues, type FieldRef, getTable, type Table } from '../../nodes/records';
import { type ClientGroup, createClient, FormBody, runToEnd, type ServiceRecord } from '../../nodes/service';
import { type RecordedRequest, type Service, type ServiceOptions, startService } from '../service';
import { type Clock, createFetchPort } from '../support/fetchPort';
import { chooseSettings, reported } from './readings';

/** A clock of the client and of the service, on which a wait only moves the time. */
class SkippedTime implements Clock {
  private skipped = 0;
  readonly waits: number[] = [];
  readonly serviceClock = { now: () => Date.now() + this.skipped };

  now = () => performance.now() + this.skipped;

  sleep = async (ms: number): Promise<void> => {
    this.waits.push(ms);
    this.skipped += ms;
    await new Promise((resolve) => setImmediate(resolve));
  };

  random = () => 0;
}

/** Whether a request lists records: by GET, or by POST with a list in its body. */
export const isList = ({ method, path, intent }: RecordedRequest): boolean =>
  path.endsWith('/records') && (method === 'GET' || intent === 'list');

/** The filter of a list: of its query, or of its body. Undefined without one. */
export const getFilters = ({ method, query, body }: RecordedRequest) =>
  ((method === 'GET' ? query : body) as { filters?: { items: Array<{ val: string }> } } | undefined)?.filters;

/** The columns with these payload keys, to match on. @throws InputError for an unknown one */
export const findColumns = (table: Table, ...keys: string[]): FieldRef[] =>
  keys.map((key) => table.requireWritableRef(key, 'Fields to Match On'));

/** Makes the changes of a sync, and counts them. */
export async function applyCounted(...given: Parameters<typeof applySync>) {
  const results: Array<{ action: string; index?: number; record?: ServiceRecord; error?: unknown }> =
    await applySync(...given);
  const count = (action: string) => results.filter((one) => one.action === action).length;
  return {
    results,
    counts: { created: count('created'), updated: count('updated'), deleted: count('deleted') },
  };
}

/** How tests wait for a run. */
export const WAIT = { limitSeconds: 600, throwsOnFailure: true, throwsOnTimeout: true };

/** An embedded service, and a client for it over HTTP. */
export class ClientEnvironment {
  readonly time = new SkippedTime();
  readonly hints: string[] = [];
  service!: Service;
  /** Settings of the credential that fit the service. */
  settings: object = {};

  async start(options: Partial<ServiceOptions> = {}): Promise<void> {
    this.service = await startService({ clock: this.time.serviceClock, ...reported.options, ...options });
    this.settings = chooseSettings(this.service.options);
  }

  stop = (): Promise<void> => this.service.stop();

  /** @param group the clients of one execution, whose items may run as several users */
  createClient(settings: object = {}, signal?: AbortSignal, group?: ClientGroup) {
    const { baseUrl, keys, fileHost } = this.service;
    const port = createFetchPort({ clock: this.time, signal }, this.hints);
    const credential = { baseUrl, ...keys, userLogin: 'none', fileHosts: fileHost };
    return createClient(port, { ...credential, ...this.settings, ...settings }, { group });
  }

  /** What the service was asked during `run`. */
  record = async (run: () => Promise<unknown>): Promise<RecordedRequest[]> => {
    const from = this.service.requests.length;
    await run();
    return this.service.requests.slice(from);
  };

  /** A client, the table of products and the encoder of its values. */
  async openProducts() {
    const client = this.createClient();
    const table = await getTable(client, this.service.getTable('Products').id);
    const encode = (values: object) => encodeRecordValues({ ...values }, table, { timeZone: 'UTC' });
    return { client, table, encode, tableId: table.id };
  }

  get products() {
    return this.service.getTable('Products').records;
  }

  /** Imports one product. `starts` has one entry for each request that starts the run. */
  runImport(sku: string, client = this.createClient()) {
    const data = Buffer.from(`name,sku\nA,${sku}\n`);
    const form = new FormBody([['file', { fileName: 'items.csv', mimeType: 'text/csv', data }]]);
    const starts: string[] = [];
    const id = this.service.addImport(this.service.getTable('Products'));
    const target = { kind: 'import', id, body: form } as const;
    return { starts, run: runToEnd(client, target, WAIT, () => void starts.push('start')) };
  }

  /** The products of a SKU, as the service stores them. */
  listProducts = (sku: string) => [...this.products.values()].filter((product) => product.sku === sku);
}
