/** The input items of a node, with their clients, parameters and files. */
import { get, memoize, omit, range, union } from 'lodash';
import {
  type IBinaryKeyData,
  type IDataObject,
  type IExecuteFunctions,
  type INode,
  type INodeExecutionData,
  sleep,
} from 'n8n-workflow';
import {
  findTable,
  getTable,
  listTables,
  omitConnectionLists,
  type PayloadEntries,
  type Table,
  type TableSummary,
  type updateRecord,
} from '../../records';
import {
  ApiError,
  asObject,
  asThrown,
  Client,
  ClientError,
  ClientGroup,
  InputError,
  isRepeatUnsafe,
  rewordError,
  tryOr,
} from '../../service';
import { CREDENTIAL_TYPE, createPort, createRuntime } from '../http/port';
import { isToolNode, type ParameterDefinition, ParameterReader } from '../parameters/parameter';

const TABLE_PARAMETER_NAME = 'dataTableId';

/** The workflow setting `binaryMode: combined` (n8n 2, Execution Logic v2) puts files under this JSON key. */
const JSON_FILES_KEY = '_files';

/** Whether the table can be given by name: in the mode By Name, or by the model in a tool. */
function acceptsTableName(node: INode): boolean {
  const { mode, value } = asObject(node.parameters[TABLE_PARAMETER_NAME]);
  return mode === 'name' || (isToolNode(node) && typeof value === 'string' && value.startsWith('='));
}

/**
 * The credentials of a batch are read together, and its names or match keys are looked up with one request.
 * The filter of this request must have room for all names or keys.
 */
const ITEMS_PER_BATCH = 50;

/** The index of the last item that wrote a value, by `tableId/recordId` and by the key of the value. */
export type LastWriterIndexes = Map<string, Map<string, number>>;

type ItemWrite = Pick<
  Parameters<typeof updateRecord>[1],
  'table' | 'recordId' | 'entries' | 'connectionChange'
>;

const formatRecordPath = ({ table, recordId }: ItemWrite): string => `${table.id}/${recordId}`;

export class Item extends ParameterReader {
  /** Sentences about other records that the item created. The error of a failed item shows these sentences. */
  readonly effects: string[] = [];
  /** The records that the item has changed, as output items. */
  readonly changes: IDataObject[] = [];

  constructor(
    readonly context: IExecuteFunctions,
    private readonly credential: PromiseSettledResult<Client> | undefined,
    readonly index: number,
    readonly input: INodeExecutionData,
    private readonly items: Items,
  ) {
    super(
      () => items.node,
      ({ name, type, default: fallback }) => {
        const isLocator = type === 'resourceLocator';
        // For a hidden parameter, n8n returns the fallback and does not evaluate an expression in it.
        const isExpression = typeof fallback === 'string' && fallback.startsWith('=');
        const read = () =>
          context.getNodeParameter(name, index, isExpression ? '' : fallback, { extractValue: isLocator });
        const value = items.isFixed(name) ? items.readFixed(name, read) : read();
        return name === TABLE_PARAMETER_NAME && isLocator ? items.resolveTableId(this.client, value) : value;
      },
    );
  }

  /** Whether the item has created or started something, which a second run would do again. */
  hasStarted = false;

  /** Whether `_files` contains files. Without `binaryMode: combined`, `_files` is a key like any other. */
  private get hasFilesInJson(): boolean {
    return asObject(this.context.getWorkflowSettings?.()).binaryMode === 'combined';
  }

  get files(): IBinaryKeyData {
    const { json, binary } = this.input;
    const inJson = this.hasFilesInJson ? asObject(json[JSON_FILES_KEY]) : {};
    return { ...(inJson as IBinaryKeyData), ...binary };
  }

  /** The JSON of the input item, without the files that n8n has put into it. */
  get inputValues(): IDataObject {
    const { json } = this.input;
    return this.hasFilesInJson ? omit(json, JSON_FILES_KEY) : json;
  }

  /** How a locator was filled in: `list`, `id`, or a further mode of the locator. */
  readLocatorMode({ name }: ParameterDefinition): string {
    return String(asObject(this.context.getNodeParameter(name, this.index, '')).mode);
  }

  /** Set in a node with Retry On Fail. All tries share one map. */
  lastWriters?: LastWriterIndexes;

  /**
   * Passes to `update` only the values that no later item has written to the record. With Retry On Fail, a
   * failed item runs again after later items.
   */
  async updateInOrder<T>(write: ItemWrite, update: (entries: PayloadEntries) => Promise<T>): Promise<T> {
    const writers = this.lastWriters?.get(formatRecordPath(write));
    const result = await update(write.entries.filter(([key]) => (writers?.get(key) ?? 0) <= this.index));
    this.setLastWriter(write);
    return result;
  }

  /** Stores this item as last writer of its values. Leaves out added or removed connections, which replace no value. */
  setLastWriter(write: ItemWrite): void {
    if (!this.lastWriters) return;
    const { table, entries, connectionChange = 'replace' } = write;
    const path = formatRecordPath(write);
    const writers = this.lastWriters.get(path) ?? new Map<string, number>();
    this.lastWriters.set(path, writers);
    for (const [key] of connectionChange === 'replace' ? entries : omitConnectionLists(table, entries))
      writers.set(key, Math.max(this.index, writers.get(key) ?? 0));
  }

  readonly markAsStarted = (): void => void (this.hasStarted = true);

  private readonly reservations: Array<Promise<() => void>> = [];

  /**
   * Waits for the memory of a file, which `releaseMemory` gives back. Only the first file of an item waits:
   * two items that each hold a file and wait for more would wait forever. @throws ApiError after the run was
   * cancelled
   */
  async reserveMemory(bytes: number): Promise<void> {
    const { fileMemory } = this.items.clientGroup;
    const isFirst = this.reservations.length === 0;
    const held = isFirst ? fileMemory.acquire(bytes) : Promise.resolve(fileMemory.addWeight(bytes));
    this.reservations.push(held);
    await held;
  }

  releaseMemory(): void {
    for (const held of this.reservations.splice(0)) {
      held.then(
        (release) => release(),
        () => undefined,
      );
    }
  }

  /** @throws the error of the item's credential, or Error if the credential was not read yet */
  get client(): Client {
    if (this.credential?.status === 'fulfilled') return this.credential.value;
    throw asThrown(
      this.credential?.reason ?? new Error(`The credential of item ${this.index + 1} was not read`),
    );
  }

  get batchNumber(): number {
    return Math.floor(this.index / ITEMS_PER_BATCH);
  }

  /** Returns all items of the batch, including this one, that run as the same user. They may share requests. */
  listBatchItems(): Item[] {
    return this.items.listBatch(this.batchNumber, this.client);
  }

  get timeZone(): string {
    return this.context.getTimezone();
  }

  /** @param options `isFresh`: whether the fields must be read in this execution, as for bulk changes */
  getTable(tableId: string, options: { isFresh?: boolean } = {}): Promise<Table> {
    return getTable(this.client, tableId, options);
  }
}

/**
 * n8n resolves the expressions in a credential for each item, so items may run as different users. Items with
 * equal credentials share a client. Each access creates a new `Item`, which is not kept: an `Item` stores the
 * parameters that it has read, so 100,000 kept ones would take more memory than the input.
 */
export class Items {
  readonly clientGroup: ClientGroup;
  /** The client of each item, or the error of its credential. Filled one batch at a time. */
  private readonly credentials: Array<PromiseSettledResult<Client>>;
  private readonly credentialReads: Array<Promise<void>> = [];
  /** The tables that each user may see. Filled only if the form may name a table (`acceptsTableName`). */
  private readonly tables = new Map<Client, TableSummary[]>();
  /** Read once, because each call of `getNode` copies all parameters of the node. */
  readonly node: INode;
  /** Whether a parameter contains no expression, and so has the same value for all items. */
  readonly isFixed = memoize((name: string) => {
    const stored = JSON.stringify(get(this.node.parameters, name)) as string | undefined;
    return stored?.includes('"=') === false;
  });
  /** Reads a fixed parameter once, because n8n would process the parameter again for each item. */
  readonly readFixed = memoize((_name: string, read: () => unknown) => read());

  constructor(
    private readonly context: IExecuteFunctions,
    private readonly inputs: INodeExecutionData[],
  ) {
    this.clientGroup = new ClientGroup(createRuntime(context));
    this.credentials = new Array<PromiseSettledResult<Client>>(inputs.length);
    this.node = context.getNode();
  }

  get length(): number {
    return this.inputs.length;
  }

  /** Reads the credential and returns the item. If the read failed, `client` of the item throws the error. */
  async getWithClient(index: number): Promise<Item> {
    const batch = Math.floor(index / ITEMS_PER_BATCH);
    await (this.credentialReads[batch] ??= this.readCredentials(batch * ITEMS_PER_BATCH));
    return this.get(index);
  }

  /** @throws InputError if the credentials of items differ: the run would act as the first item's user */
  async ensureOneClient(): Promise<void> {
    for (let index = 0; index < this.length; index++) {
      this.clientGroup.throwIfCancelled();
      const { client } = await this.getWithClient(index);
      if (client === this.get(0).client) continue;
      throw new InputError(
        `The credential has other values for item ${index + 1} than for the first item`,
        'Nothing was sent. This operation runs once for all items, with one key and as one user. Run it once for each user, for example in a loop over groups of items, or remove the expressions from the credential.',
      );
    }
  }

  /** Returns an item, whose `client` throws an error if `getWithClient` was not called before. */
  get(index: number): Item {
    return new Item(this.context, this.credentials[index], index, this.inputs[index] ?? { json: {} }, this);
  }

  /** @throws InputError for an unknown name */
  resolveTableId(client: Client, value: unknown): unknown {
    if (typeof value === 'object') return value;
    const text = String(value ?? '').trim();
    const tables = this.tables.get(client);
    return tables ? findTable(text, tables).id : text;
  }

  listBatch(batch: number, client: Client): Item[] {
    const start = batch * ITEMS_PER_BATCH;
    return this.credentials
      .slice(start, start + ITEMS_PER_BATCH)
      .flatMap((one, offset) =>
        one.status === 'fulfilled' && one.value === client ? this.get(start + offset) : [],
      );
  }

  *[Symbol.iterator](): Generator<Item> {
    for (let index = 0; index < this.length; index++) yield this.get(index);
  }

  private async readCredentials(start: number): Promise<void> {
    const end = Math.min(start + ITEMS_PER_BATCH, this.length);
    const clients = range(start, end).map((index) => this.createClient(index));
    this.credentials.splice(start, clients.length, ...(await Promise.allSettled(clients)));
  }

  private async createClient(index: number): Promise<Client> {
    const data = await this.context.getCredentials(CREDENTIAL_TYPE, index);
    return this.clientGroup.getClient(
      data,
      () => createPort(this.context, data),
      async (client) => {
        if (!acceptsTableName(this.node)) return;
        const known = await listTables(client);
        const isFresh = this.inputs.some((_, index) => !this.isTableListed(index, known));
        this.tables.set(client, isFresh ? await listTables(client, { isFresh }) : known);
      },
    );
  }

  /** Returns false, and throws nothing, if the expression fails: the run of the item reports the error. */
  private isTableListed(index: number, tables: TableSummary[]): boolean {
    const read = () => this.context.getNodeParameter(TABLE_PARAMETER_NAME, index, '', { extractValue: true });
    return tryOr(() => findTable(String(read()).trim(), tables) !== undefined, false);
  }
}

const ITEMS_BETWEEN_PAUSES = 500;

/** Pauses regularly, so that n8n can renew its job's lock or cancel the run. @throws ApiError after a cancellation */
export async function* iterateWithPauses(items: Items): AsyncGenerator<Item> {
  for (const item of items) {
    if (item.index % ITEMS_BETWEEN_PAUSES === 0) await sleep(0);
    items.clientGroup.throwIfCancelled();
    yield item;
  }
}

/** Whether a second run of a failed item may create or start something twice. */
export const isRerunUnsafe = (error: unknown, item: Item): boolean =>
  item.hasStarted || isRepeatUnsafe(error);

/**
 * Adds to an error what the item has changed. Removes the time for the next run (`retryAt`) if the item has
 * started something, because a second run would start it again.
 */
export function attachItemEffects(failure: unknown, { effects, changes, hasStarted }: Item): unknown {
  const thrown = attachOldRecords(failure, changes);
  const error =
    thrown instanceof ApiError && thrown.retryAt && hasStarted
      ? thrown.copyWith({ retryAt: undefined })
      : thrown;
  if (effects.length === 0) return error;
  const text = effects.join(' ');
  return rewordError(error, ({ description }) => ({ description: `${text} ${description}` }));
}

/** The values of `_action` for a changed record. Undo takes the items with one of these values. */
export const CHANGE_ACTIONS = ['created', 'updated', 'deleted'] as const;

/** Returns the changed records that an error contains, as items with their old values. */
export const getOldRecords = (error: unknown): IDataObject[] =>
  error instanceof ClientError ? ((error.details?.oldRecords ?? []) as IDataObject[]) : [];

/** Adds the old values of changed records to an error, because a failed run loses its outputs. */
export function attachOldRecords(error: unknown, items: IDataObject[]): unknown {
  const changes = items.filter(({ _action }) => CHANGE_ACTIONS.some((change) => change === _action));
  const oldRecords = union(getOldRecords(error), changes);
  if (oldRecords.length === 0) return error;
  return rewordError(error, ({ details }) => ({ details: { ...details, oldRecords } }));
}
