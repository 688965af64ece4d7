/** Operations and resources as data, and the results of an operation. */
import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';
import type { CallOptions, Endpoint, ListResponse } from '../../service';
import type { ParameterDefinition } from '../parameters/parameter';
import type { Item, Items } from './item';

/**
 * Creates an operation that makes one call. A path parameter gets the value of the node parameter with the same name.
 * `read` selects the output from the response body: one object or a list, by default the body.
 */
export function createCallOperation<Body>(
  details: CallOperationDetails<Body> & { read?: (body: Body) => unknown },
): ItemOperation {
  const { endpoint, read = (body) => body, request, ...rest } = details;
  return {
    writes: typeof endpoint === 'object' && endpoint.effect !== 'read',
    ...rest,
    async run(item) {
      const chosen = typeof endpoint === 'object' ? endpoint : endpoint(item);
      const call = (await request?.(item)) ?? {};
      const inPath = details.parameters?.filter(({ name }) => chosen.path.includes(`{${name}}`)) ?? [];
      const values = Object.fromEntries(inPath.map((parameter) => [parameter.name, item.read(parameter)]));
      const path = { ...values, ...call.path };
      const { body } = await item.client.call(chosen, { ...call, path });
      return toOutputs(read(body));
    },
  };
}

/** The indexes of the input items that a result belongs to. By default, it belongs to the item that ran. */
interface ResultOrigin {
  itemIndexes?: number[];
}

/** One output item of an operation, before it is paired with its input items. */
export interface Output extends ResultOrigin {
  json: IDataObject;
  binary?: IBinaryKeyData;
}

/**
 * A part of the work that failed, for example one of many records. With Continue On Fail, it becomes an error item for each
 * of its input items. Otherwise the first failure is thrown, and the outputs are lost.
 */
export interface Failure extends ResultOrigin {
  error: unknown;
  /**
   * Whether the work has started, or may have, so that a second run would do it twice. Set by operations that run once for
   * all items. For others, `retryOnFail.ts` decides.
   */
  isFinal?: boolean;
}

export type Result = Output | Failure;

export const isFailure = (result: Result): result is Failure => 'error' in result;

export interface RunMode {
  /** Whether the node has Continue On Fail. Otherwise no further work starts after a failure. */
  continuesOnFail: boolean;
  /** Set for operations that run once for all items, in a node with Retry On Fail: the results of its earlier tries. */
  tries?: { earlier: Result[] };
}

/** Runs an operation for one input item. */
type OperationHandler = (item: Item, mode: RunMode) => Promise<Result[]>;

/** Runs an operation once for all input items. Parameters of the whole run are those of the first item. */
export type AllItemsHandler = (items: Items, mode: RunMode) => Promise<Result[]>;

/**
 * An operation as data. The form of the node, its run, the documentation and the contract test are made from it. Saved
 * workflows store `name`, so it must not change after a release.
 */
interface OperationDefinition {
  name: string;
  displayName: string;
  /** The text in the node palette, for example "Get many records". */
  action: string;
  description: string;
  /**
   * Whether the operation changes or starts something in the service. An operation without this flag can be run again at
   * any time. The contract test compares the flag with the requests that the operation sends.
   */
  writes?: boolean;
  parameters?: ParameterDefinition[];
  /**
   * The output keys whose values an AI model sees without Return Secrets to AI; all by default. If set, all other values
   * are hidden, because any key may hold a secret: the spec does not show every response. Open point: `autoLogin`.
   */
  shownKeys?: ReadonlySet<string>;
  /** How an AI model gets what a shortened answer leaves out. By default: with a filter, or with fewer fields. */
  cutAdvice?: string;
  /**
   * What the operation creates or starts, which a second run would create or start twice. `isSafe` returns whether an item
   * may be run again.
   */
  makes?: { noun: string; remedy: string; isSafe?: (item: Item) => boolean };
}

/** An operation that runs for each input item. Several items run at once. */
export interface ItemOperation extends OperationDefinition {
  run: OperationHandler;
  /**
   * Checks the values of an item by the fields of its table. Looks up no names of connected records. Reads the record of
   * the item only if a value is invalid: a value that the record already holds is accepted. All items are checked before the first is written, except with Continue On Fail.
   * @throws InputError for an invalid value
   */
  check?: (item: Item) => Promise<void>;
  /** Rewrites the error of an item with the labels of the form and the remedies of the operation. */
  explain?: (item: Item, error: unknown) => Promise<unknown>;
  /** Noun and verb for the items in the error of a stopped run: `record`, `created`. By default `item`, `processed`. */
  doneWords?: [noun: string, verb: string];
  /** Items with the same key run one after the other, in input order. For writes to the same record. */
  serialKey?: (item: Item) => string;
}

export interface AllItemsOperation extends OperationDefinition {
  runAll: AllItemsHandler;
  /** The parameters and options that are read for each item. All others apply to the whole run. */
  itemParameters?: ParameterDefinition[];
}

export type Operation = ItemOperation | AllItemsOperation;

/** A choice under Resource in the form of a node, with its operations. */
export interface Resource {
  name: string;
  displayName: string;
  operations: Operation[];
}

/** Creates one output for an object, or one for each entry of a list. */
export const toOutputs = (value: unknown): Output[] =>
  (Array.isArray(value) ? value : [value]).map((json: unknown) => ({
    json: (typeof json === 'object' && json !== null ? json : { value: json }) as IDataObject,
  }));

/** The definition of an operation that makes one call. `request` reads the request from the parameters of the item. */
type CallOperationDetails<Body> = Omit<ItemOperation, 'run'> & {
  /**
   * The endpoint, or a function that chooses one for an item. With a function, set `writes` if any of its endpoints
   * writes.
   */
  endpoint: Endpoint<Body> | ((item: Item) => Endpoint<Body>);
  request?: (item: Item) => CallOptions | Promise<CallOptions>;
};

/** The definition of an operation whose name and label have defaults, such as `getAll` and "Get Many". */
type OperationWithDefaultName<Body> = Omit<CallOperationDetails<Body>, 'name' | 'displayName'> &
  Partial<Pick<CallOperationDetails<Body>, 'name' | 'displayName'>>;

/** Creates an operation that makes one call and returns each entry of a list as an item. Its default name is Get Many. */
export const createListOperation = (row: OperationWithDefaultName<ListResponse>): ItemOperation =>
  createCallOperation({ name: 'getAll', displayName: 'Get Many', ...row, read: ({ items }) => items });

/** Creates an operation that makes one call and returns one object. Its default name is Get. */
export const createGetOperation = (row: OperationWithDefaultName<unknown>): ItemOperation =>
  createCallOperation({ name: 'get', displayName: 'Get', ...row });
