import {
  ApiError,
  asObject,
  type Client,
  createClient,
  type HttpResponse,
  type Port,
  recordEndpoints,
  tableEndpoints,
  webhookEndpoints,
} from '../../nodes/service';
import type { ServiceOptions } from '../../test/service/options';
import type { PROFILES } from '../../test/service/profiles';
import type { ReadingName } from '../../test/service/readings';
import type { PointName } from '../../test/silences';

/** The most requests that a run sends. A login counts as one. */
export const MAX_REQUESTS = 150;

/** What was seen of one point that the documentation leaves open. It contains no data of the user. */
export interface Finding {
  id: PointName;
  /** What the service does, as a sentence; undefined if it could not be found out. */
  seen?: string;
  /** How it was found out, or why not. */
  how: string;
  /** Options of the embedded service with which it behaves the same. */
  readings?: Partial<Pick<ServiceOptions, ReadingName | keyof (typeof PROFILES)['met']>>;
}

/** Values of the credential, by its own parameter names. */
export interface Settings {
  serviceTimeZone?: string;
}

export type Values = Record<string, unknown>;

/** The call that would be the first one beyond MAX_REQUESTS. */
export class TooManyRequestsError extends Error {
  override message = `The run has sent ${MAX_REQUESTS} requests, its limit`;
}

/** A field of a table, as `/full-fields-info` lists it. */
export interface FieldInfo {
  slug: string;
  fieldId: string;
  name: string;
  type: string;
  options: Array<{ label: string; value: string }>;
  join?: unknown;
}

export interface TableInfo {
  id: string;
  name: string;
  fields: FieldInfo[];
}

/** The ID that the answer to a create shows, under one of the keys that were met. */
const readCreatedId = ({ item, recordId, id }: Values): string | undefined => {
  const found = asObject(item).id ?? recordId ?? id;
  return typeof found === 'string' ? found : undefined;
};

/** One run against a service: sends the requests, counts them, and knows what it has created. */
export class Contact {
  readonly client: Client;
  readonly findings: Finding[] = [];
  readonly settings: Settings = {};
  /** Number of requests that were sent. */
  requests = 0;
  /** The last response, as it arrived. */
  last?: HttpResponse;
  /** The body of the answer to the last create. */
  createdBody: Values = {};
  /** Date headers and local times of responses, in milliseconds. */
  readonly responses: Array<{ headers: Record<string, string>; at: number }> = [];
  /** Records of this run: by their mark, with their table, and their ID once it is known. */
  private readonly created = new Map<string, { table: TableInfo; markSlug: string; id?: string }>();
  private readonly subscriptions = new Set<string>();

  constructor(
    private readonly port: Port,
    private readonly credential: Values,
  ) {
    this.client = this.connect(port);
  }

  private connect(port: Port): Client {
    return createClient(this.watch(port), this.credential);
  }

  private watch(port: Port): Port {
    return {
      ...port,
      send: async (request, options) => {
        if (this.requests >= MAX_REQUESTS && request.method !== 'DELETE') throw new TooManyRequestsError();
        this.requests++;
        const result = await port.send(request, options);
        if ('status' in result) {
          this.last = result as HttpResponse;
          this.responses.push({ headers: this.last.headers, at: Date.now() });
        }
        return result;
      },
    };
  }

  /** The body of the last response, as an object. */
  get lastBody(): Values {
    return asObject(this.last?.body);
  }

  note(finding: Finding): void {
    this.findings.push(finding);
  }

  async listTables(): Promise<Array<{ id: string; name: string }>> {
    const { body } = await this.client.call(tableEndpoints.list);
    return body.items.map(({ id, name }) => ({ id, name: String(name ?? '') }));
  }

  async readTable({ id, name }: { id: string; name: string }): Promise<TableInfo> {
    const path = { dataTableId: id };
    const { body } = await this.client.call(tableEndpoints.listFullFields, { path });
    return { id, name, fields: body.items as unknown as FieldInfo[] };
  }

  /** Lists a page of records with the query or the body as it is. */
  async list(table: TableInfo, query: Values): Promise<Values[]> {
    const path = { dataTableId: table.id };
    const { body } = await this.client.call(recordEndpoints.list, { path, query });
    return body.items as Values[];
  }

  /** Lists the records that meet one condition, by GET: what a POST with a filter does is one of the things to find out. */
  async filter(
    table: TableInfo,
    fieldId: string,
    operator: string,
    val?: string,
    client = this.client,
  ): Promise<Values[]> {
    const item = { field_id: fieldId, operator, ...(val !== undefined && { val }) };
    const entries = Object.entries(item).map(([key, value]) => [`filters[items][0][${key}]`, value]);
    const path = { dataTableId: table.id };
    const query = { ...(Object.fromEntries(entries) as Values), page: 1, limit: 200 };
    const { body } = await client.call(recordEndpoints.list, { path, query });
    return body.items as Values[];
  }

  /**
   * Sends a POST with a filter that one record meets. A record that the service makes of it is deleted.
   * @returns what it did; undefined for an answer that shows neither
   */
  async postFilter(
    table: TableInfo,
    markSlug: string,
    mark: string,
  ): Promise<'lists' | 'creates' | undefined> {
    const count = async () => {
      await this.list(table, { page: 1, limit: 1 });
      return this.lastBody.total_items;
    };
    const before = await count();
    const items = [{ field_id: markSlug, operator: 'is exact', val: mark }];
    const body = { filters: { condition: 'AND', items }, page: 1, limit: 200 };
    const path = { dataTableId: table.id };
    await this.client.call(recordEndpoints.listFiltered, { path, body }).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
    });
    if (Array.isArray(this.lastBody.items)) return 'lists';
    const id = readCreatedId(this.lastBody);
    if (id !== undefined) this.created.set(`filter ${mark}`, { table, markSlug, id });
    return id !== undefined || (await count()) !== before ? 'creates' : undefined;
  }

  /** Lists the records that meet one condition of the symbolic form. */
  async search(table: TableInfo, fieldId: string, condition: string, value: string): Promise<Values[]> {
    const filters = { condition: 'AND', items: [{ field_id: fieldId, condition, value }] };
    const path = { dataTableId: table.id };
    const { body } = await this.client.call(recordEndpoints.search, {
      path,
      body: { filters, page: 1, limit: 200 },
    });
    return body.items as Values[];
  }

  async read(table: TableInfo, recordId: string): Promise<Values> {
    const { body } = await this.client.call(recordEndpoints.get, {
      path: { dataTableId: table.id, recordId },
    });
    return body.item as Values;
  }

  /** The status of a read of a record that does not exist. */
  async readMissing(table: TableInfo, recordId: string): Promise<number | undefined> {
    return this.read(table, recordId).then(
      () => 200,
      (error: unknown) => (error instanceof ApiError ? error.status : Promise.reject(error as Error)),
    );
  }

  /**
   * Creates a record in the scratch table, and remembers it for the clean-up. If the answer holds no record, the new one
   * is looked for by its mark.
   */
  async create(table: TableInfo, markSlug: string, mark: string, values: Values = {}): Promise<Values> {
    this.created.set(mark, { table, markSlug });
    const path = { dataTableId: table.id };
    const body = { ...values, [markSlug]: mark };
    const answered = await this.client.call(recordEndpoints.create, { path, body }).then(
      () => true,
      (error: unknown) => {
        const isUnknown = error instanceof ApiError && error.isOutcomeUnknown;
        // An answer without the record is one of the things to find out.
        if (isUnknown && this.last?.status === 200) return false;
        if (!isUnknown) this.created.delete(mark);
        throw error;
      },
    );
    this.createdBody = this.lastBody;
    const item = asObject(this.lastBody.item);
    const found =
      answered && item.id !== undefined ? item : (await this.filter(table, markSlug, 'is exact', mark))[0];
    if (found?.id === undefined) throw new Error('A created record was not found again');
    this.created.set(mark, { table, markSlug, id: String(found.id) });
    return found;
  }

  async update(table: TableInfo, recordId: string, values: object): Promise<void> {
    const path = { dataTableId: table.id, recordId };
    await this.client.call(recordEndpoints.update, { path, body: values }).catch((error: unknown) => {
      if (!(error instanceof ApiError && error.isOutcomeUnknown)) throw error;
    });
  }

  async delete(table: TableInfo, recordId: string): Promise<void> {
    await this.client.call(recordEndpoints.delete, { path: { dataTableId: table.id, recordId } });
    for (const [mark, { id }] of this.created) if (id === recordId) this.created.delete(mark);
  }

  async subscribe(table: TableInfo, type: string, hookUrl: string): Promise<void> {
    const body = { data_table_id: table.id, type, hookUrl, platform: 'n8n' };
    const { body: answer } = await this.client.call(webhookEndpoints.subscribe, { body });
    this.subscriptions.add(String(asObject(answer).id));
  }

  /**
   * Deletes what the run has created. Call it in every case.
   * @returns what could not be deleted, in words for the user
   */
  async cleanUp(): Promise<string[]> {
    // The run may have been stopped: these requests are not.
    const client = this.connect({ ...this.port, signal: undefined });
    const left: string[] = [];
    for (const id of this.subscriptions) {
      await client
        .call(webhookEndpoints.unsubscribe, { body: { id } })
        .catch(() => left.push(`the webhook subscription ${id}`));
    }
    for (const [mark, { table, markSlug, id }] of this.created) {
      const dataTableId = table.id;
      const recordIds =
        id === undefined
          ? await this.filter(table, markSlug, 'starts with', mark, client).then(
              (found) => found.map((record) => String(record.id)),
              () => undefined,
            )
          : [id];
      if (!recordIds)
        left.push(`perhaps a record of the table "${table.name}" that holds the text "${mark}"`);
      for (const recordId of recordIds ?? []) {
        await client
          .call(recordEndpoints.delete, { path: { dataTableId, recordId } })
          .catch((error: unknown) => {
            if (!(error instanceof ApiError && error.status === 404))
              left.push(`the record ${recordId} of the table "${table.name}"`);
          });
      }
    }
    this.created.clear();
    this.subscriptions.clear();
    return left;
  }
}
