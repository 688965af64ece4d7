/** The input items of a node, each with what an operation needs to run it. */
import { get, memoize, omit, range, union } from 'lodash';
import {
  type IBinaryKeyData,
  type IDataObject,
  type IExecuteFunctions,
  type INode,
  type INodeExecutionData,
  sleep,
} from 'n8n-workflow';
import { findTable, getTable, listTables, type Table, type TableSummary } from '../../records';
import {
  ApiError,
  asObject,
  asThrown,
  Client,
  ClientError,
  ClientGroup,
  InputError,
  isRepeatUnsafe,
  changeTexts,
  tryOr,
} from '../../service';
import { CREDENTIAL_TYPE, createPort, createRuntime } from '../http/port';
import { isToolNode, type ParameterDefinition, ParameterReader } from '../parameters/parameter';

/** Name of the parameter in which a table can be given by name. */
const TABLE_PARAMETER = 'dataTableId';

/**
 * In a workflow with the setting `binaryMode: combined` (Execution Logic v2), n8n 2 puts the files of an item under this
 * key of its JSON, in place of binary fields.
 */
const FILES_IN_JSON = '_files';

/** Whether a node may give its table by name: in the mode By Name, and as a tool, where a model gives the table. */
function mayNameTable(node: INode): boolean {
  const { mode, value } = asObject(node.parameters[TABLE_PARAMETER]);
  return mode === 'name' || (isToolNode(node) && typeof value === 'string' && value.startsWith('='));
}

/**
 * Number of items that are prepared together: their credentials are read, and one request looks up the records or the
 * names of all of them. Their conditions must fit into one filter.
 */
const ITEMS_PER_BATCH = 50;

/** The error of a credential that could not be read or is not complete. */
interface CredentialError {
  error: unknown;
}

/**
 * One input item and what an operation needs to run it: its parameters, the client of its user and the fields of the
 * table.
 */
export class Item extends ParameterReader {
  /** What the item has changed besides its own record, as sentences: if the item fails, its error lists them. */
  readonly effects: string[] = [];
  /** The records that the item has changed, as output items. */
  readonly changes: IDataObject[] = [];

  constructor(
    readonly context: IExecuteFunctions,
    private readonly prepared: Client | CredentialError | undefined,
    readonly index: number,
    readonly input: INodeExecutionData,
    private readonly items: Items,
  ) {
    super(
      () => items.node,
      ({ name, type, default: fallback }) => {
        const isLocator = type === 'resourceLocator';
        // Where the form does not show the parameter, n8n would return a default that is an expression as text.
        const isExpression = typeof fallback === 'string' && fallback.startsWith('=');
        const read = () =>
          context.getNodeParameter(name, index, isExpression ? '' : fallback, { extractValue: isLocator });
        const value = items.isFixed(name) ? items.readFixed(name, read) : read();
        return name === TABLE_PARAMETER && isLocator ? items.resolveTable(this.client, value) : value;
      },
    );
  }

  /** Whether the item has created or started something that a second run would create or start again. */
  hasStarted = false;

  /**
   * Whether the key `_files` holds files, as in the binary mode `combined`. Otherwise its value is one of the user's
   * values.
   */
  private get hasFilesInJson(): boolean {
    return asObject(this.context.getWorkflowSettings?.()).binaryMode === 'combined';
  }

  /** The files of the input, by binary field. */
  get files(): IBinaryKeyData {
    const { json, binary } = this.input;
    const inJson = this.hasFilesInJson ? asObject(json[FILES_IN_JSON]) : {};
    return { ...(inJson as IBinaryKeyData), ...binary };
  }

  /** The JSON of the input without the files that n8n has put there. */
  get inputValues(): IDataObject {
    const { json } = this.input;
    return this.hasFilesInJson ? omit(json, FILES_IN_JSON) : json;
  }

  /** Returns how a locator gives its entry: `list`, `id`, or a further mode of the locator. */
  readLocatorMode({ name }: ParameterDefinition): string {
    return String(asObject(this.context.getNodeParameter(name, this.index, '')).mode);
  }

  /** Sets `hasStarted`. */
  readonly markAsStarted = (): void => void (this.hasStarted = true);

  private readonly reservations: Array<Promise<() => void>> = [];

  /**
   * Waits until a file of this size may be read into memory. The size counts until `releaseMemory`. Only the first file of an
   * item waits: two items that each hold a file and wait for another would wait forever.
   * @throws ApiError after the run was cancelled
   */
  async reserveMemory(bytes: number): Promise<void> {
    const { files } = this.items.clientGroup;
    const isFirst = this.reservations.length === 0;
    const held = isFirst ? files.acquire(bytes) : Promise.resolve(files.add(bytes));
    this.reservations.push(held);
    await held;
  }

  /** Releases the memory of the item's files. To be called when the item has ended. */
  releaseMemory(): void {
    for (const held of this.reservations.splice(0)) {
      held.then(
        (release) => release(),
        () => undefined,
      );
    }
  }

  /** The client of the item's user. @throws the error that reading the credential caused; Error if it was not read yet */
  get client(): Client {
    if (this.prepared instanceof Client) return this.prepared;
    throw asThrown(
      this.prepared?.error ?? new Error(`The credential of item ${this.index + 1} was not read`),
    );
  }

  /** The index of the batch of items to which the item belongs. */
  get batch(): number {
    return Math.floor(this.index / ITEMS_PER_BATCH);
  }

  /** Lists the items of the batch that run as the same user, this one included. They may share requests. */
  listBatchPeers(): Item[] {
    return this.items.listBatch(this.batch, this.client);
  }

  /** The IANA name of the workflow's time zone. */
  get timeZone(): string {
    return this.context.getTimezone();
  }

  /**
   * Returns a table with its fields. Items that request a table at the same time share one request.
   * @param options `isFresh`: the fields were read since this execution started, for operations that change many records
   */
  getTable(tableId: string, options: { isFresh?: boolean } = {}): Promise<Table> {
    return getTable(this.client, tableId, options);
  }
}

/**
 * The input items of a run, at least one, and their clients. n8n resolves the expressions in a credential for each item, so
 * an item may run as another user than the next one. Items with equal credentials share a client.
 *
 * Each access creates a new `Item`, because an item keeps what it has read, and 100,000 items would take more memory than
 * their data.
 */
export class Items {
  readonly clientGroup: ClientGroup;
  /** The client of each item that was prepared, or the error of its credential. */
  private readonly clients: Array<Client | CredentialError>;
  private readonly batches: Array<Promise<void>> = [];
  /** The tables that each user may see. Filled only if the node may give its table by name (`mayNameTable`). */
  private readonly tables = new Map<Client, TableSummary[]>();
  /** The node with its parameters as they are stored. It is read once, because n8n copies all parameters for each call. */
  readonly node: INode;
  /** Whether a parameter is stored without an expression, so that it has the same value for all items. */
  readonly isFixed = memoize((name: string) => {
    const stored = JSON.stringify(get(this.node.parameters, name)) as string | undefined;
    return stored?.includes('"=') === false;
  });
  /** Reads a parameter without an expression once: n8n would prepare it again for each item. */
  readonly readFixed = memoize((_name: string, read: () => unknown) => read());

  constructor(
    private readonly context: IExecuteFunctions,
    private readonly inputs: INodeExecutionData[],
  ) {
    this.clientGroup = new ClientGroup(createRuntime(context));
    this.clients = new Array<Client | CredentialError>(inputs.length);
    this.node = context.getNode();
  }

  get length(): number {
    return this.inputs.length;
  }

  /** Reads the credential of an item, once, and returns the item. @throws the error of its credential */
  async open(index: number): Promise<Item> {
    const batch = Math.floor(index / ITEMS_PER_BATCH);
    await (this.batches[batch] ??= this.readCredentials(batch * ITEMS_PER_BATCH));
    const client = this.clients[index];
    if (client instanceof Client) return this.get(index);
    throw asThrown(client?.error);
  }

  /**
   * Reads the credentials of all items, for an operation that runs once for all of them.
   * @throws InputError when their credentials differ: the run would act as the first item's user for all items
   */
  async openAll(): Promise<void> {
    for (let index = 0; index < this.length; index++) {
      this.clientGroup.throwIfCancelled();
      const { client } = await this.open(index);
      if (client === this.get(0).client) continue;
      throw new InputError(
        `The credential has other values for item ${index + 1} than for the first item`,
        'Nothing was sent. This operation runs once for all items, with one key and as one user. Run it once for each user, for example in a loop over groups of items, or remove the expressions from the credential.',
      );
    }
  }

  /** Returns an item. Only an item that was opened has a client. */
  get(index: number): Item {
    return new Item(this.context, this.clients[index], index, this.inputs[index] ?? { json: {} }, this);
  }

  /** Returns the ID of the table that a parameter gives by name or ID. @throws InputError for an unknown name */
  resolveTable(client: Client, value: unknown): unknown {
    if (typeof value === 'object') return value;
    const text = String(value ?? '').trim();
    const tables = this.tables.get(client);
    return tables ? findTable(text, tables).id : text;
  }

  /** Lists the items of a batch that have this client. */
  listBatch(batch: number, client: Client): Item[] {
    const start = batch * ITEMS_PER_BATCH;
    const batchClients = this.clients.slice(start, start + ITEMS_PER_BATCH);
    return batchClients.flatMap((one, offset) => (one === client ? this.get(start + offset) : []));
  }

  *[Symbol.iterator](): Generator<Item> {
    for (let index = 0; index < this.length; index++) yield this.get(index);
  }

  private async readCredentials(start: number): Promise<void> {
    const end = Math.min(start + ITEMS_PER_BATCH, this.length);
    const clients = range(start, end).map((index) =>
      this.createClient(index).catch((error: unknown) => ({ error })),
    );
    this.clients.splice(start, clients.length, ...(await Promise.all(clients)));
  }

  private async createClient(index: number): Promise<Client> {
    const data = await this.context.getCredentials(CREDENTIAL_TYPE, index);
    return this.clientGroup.get(
      data,
      () => createPort(this.context, data),
      async (client) => {
        if (!mayNameTable(this.node)) return;
        const known = await listTables(client);
        const isFresh = this.inputs.some((_, index) => !this.namesTable(index, known));
        this.tables.set(client, isFresh ? await listTables(client, { isFresh }) : known);
      },
    );
  }

  /** Whether an item gives one of these tables. False if its expression fails, which is an error when the item runs. */
  private namesTable(index: number, tables: TableSummary[]): boolean {
    const read = () => this.context.getNodeParameter(TABLE_PARAMETER, index, '', { extractValue: true });
    return tryOr(() => findTable(String(read()).trim(), tables) !== undefined, false);
  }
}

/** Number of items between two pauses. */
const ITEMS_BETWEEN_PAUSES = 500;

/**
 * Iterates over the items, and pauses at intervals so that n8n can work meanwhile: renew the lock of its job, or cancel
 * the run. For work that does not wait for a response. @throws ApiError after the run was cancelled
 */
export async function* iterateWithPauses(items: Items): AsyncGenerator<Item> {
  for (const item of items) {
    if (item.index % ITEMS_BETWEEN_PAUSES === 0) await sleep(0);
    items.clientGroup.throwIfCancelled();
    yield item;
  }
}

/** Whether a failed item has had, or may have had, an effect that a second run would repeat: a record, a run, a file. */
export const mayHaveStarted = (error: unknown, item: Item): boolean =>
  item.hasStarted || isRepeatUnsafe(error);

/**
 * Adds two facts to an item's error: what the item changed besides its own record, and that a second run would repeat
 * these changes.
 */
export function addEffects(failure: unknown, { effects, changes, hasStarted }: Item): unknown {
  const thrown = addOldRecords(failure, changes);
  const error =
    thrown instanceof ApiError && thrown.retryAt && hasStarted
      ? thrown.explain({ retryAt: undefined })
      : thrown;
  if (effects.length === 0) return error;
  const text = effects.join(' ');
  return changeTexts(error, ({ description }) => ({ description: `${text} ${description}` }));
}

/** The values of `_action` that mean a change. Undo takes the items that have one of them. */
export const CHANGE_ACTIONS = ['created', 'updated', 'deleted'] as const;

/** Returns the changes whose old values an error holds, as items. */
export const getOldRecords = (error: unknown): IDataObject[] =>
  error instanceof ClientError ? ((error.details?.oldRecords ?? []) as IDataObject[]) : [];

/** Adds the items of changes to an error, as `oldRecords`: only they hold the old values. */
export function addOldRecords(error: unknown, items: IDataObject[]): unknown {
  const changes = items.filter(({ _action }) => CHANGE_ACTIONS.some((change) => change === _action));
  const oldRecords = union(getOldRecords(error), changes);
  if (oldRecords.length === 0) return error;
  return changeTexts(error, ({ details }) => ({ details: { ...details, oldRecords } }));
}
