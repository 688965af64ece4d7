/** Operations and resources as data, and the results of an operation. */
import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';
import type { CallOptions, Endpoint, ListResponse } from '../../service';
import type { ParameterDefinition } from '../parameters/parameter';
import type { Item, Items } from './item';

/**
 * Creates an operation that makes one call. A path parameter has the value of the node parameter with the same
 * name. `read` selects the output, one object or a list, from the response body. Without `read`, the output is
 * the body.
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

/** The input items that a result belongs to, by index. By default, the one input item that ran. */
interface ResultOrigin {
  itemIndexes?: number[];
}

/** One item that an operation returns. The item loop adds the pairing with the input items. */
export interface Output extends ResultOrigin {
  json: IDataObject;
  binary?: IBinaryKeyData;
}

/**
 * A part of the work that failed, for example one of many records. With Continue On Fail it becomes an error item
 * for each of its input items. Otherwise the first failure is thrown, and the outputs are lost.
 */
export interface Failure extends ResultOrigin {
  error: unknown;
  /**
   * Whether the work was started, or may have been, so that a second run would do it twice. Operations over all items
   * set `isFinal`. For other operations, `retryOnFail.ts` decides.
   */
  isFinal?: boolean;
}

export type Result = Output | Failure;

export const isFailure = (result: Result): result is Failure => 'error' in result;

/** How the item loop runs an operation. */
export interface RunMode {
  /** Whether the node continues after a failure (Continue On Fail). Otherwise nothing more starts after a failure. */
  continuesOnFail: boolean;
  /**
   * For an operation over all items in a node with Retry On Fail. `earlier` holds the results of the failed tries before
   * this one; see `runNextTry`.
   */
  tries?: { earlier: Result[] };
}

/** Runs an operation for one input item. */
type OperationHandler = (item: Item, mode: RunMode) => Promise<Result[]>;

/**
 * Runs an operation once for all input items. The parameters that apply to the whole run are read from the first
 * item. A thrown error makes every input item fail.
 */
export type AllItemsHandler = (items: Items, mode: RunMode) => Promise<Result[]>;

/**
 * An operation is data. The node's form, the item loop, the list of operations in the documentation and the
 * contract test read it. Saved workflows store `name`, so it must not change after a release.
 */
interface OperationDefinition {
  name: string;
  displayName: string;
  /** The text in the node palette, for example "Get many records". */
  action: string;
  description: string;
  /**
   * Whether the operation changes or starts something in the service. Other operations can be run again at any time. The
   * contract test compares this flag with the requests that the operation sends.
   */
  writes?: boolean;
  parameters?: ParameterDefinition[];
  /**
   * The keys of the output whose values an AI model sees without "Return Secrets to AI". The values of other keys are
   * hidden: the spec does not show each response, so any key may hold a secret. Open point: `autoLogin`.
   */
  plainKeys?: ReadonlySet<string>;
  /** The advice in a cut answer: how an AI model gets the rest. By default, with a filter or fewer fields. */
  narrowing?: string;
  /**
   * What the operation creates or starts, which a second run would create or start twice. `isSafe` returns whether an
   * item is an exception.
   */
  makes?: { noun: string; remedy: string; isSafe?: (item: Item) => boolean };
}

/** An operation that runs for each input item, several at once. */
export interface ItemOperation extends OperationDefinition {
  run: OperationHandler;
  /**
   * Checks the values of an item by the fields of its table. Looks up no name, and reads a record only for an invalid
   * value. All items are checked before the first is written, unless the node continues on fail.
   * @throws InputError for an invalid value
   */
  check?: (item: Item) => Promise<void>;
  /** Rewrites the error of an item with the labels of the form, and adds the remedies of the operation. */
  explain?: (item: Item, error: unknown) => Promise<unknown>;
  /** Noun and verb for an item in the error of a stopped run: `record`, `created`. By default, `item`, `processed`. */
  done?: [noun: string, verb: string];
  /** Items with the same key run one after the other, in input order. Use it for writes to the same record. */
  serialKey?: (item: Item) => string;
}

/** An operation that runs once for all input items. */
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

/** Creates one output for an object, or one for each object of a list. */
export const toOutputs = (value: unknown): Output[] =>
  (Array.isArray(value) ? value : [value]).map((json: unknown) => ({
    json: (typeof json === 'object' && json !== null ? json : { value: json }) as IDataObject,
  }));

/** The definition of an operation that makes one call. `request` reads the request from the parameters of the item. */
type CallOperationDetails<Body> = Omit<ItemOperation, 'run'> & {
  /** The endpoint, or a function that chooses it for an item. With a function, set `writes` if an endpoint changes anything. */
  endpoint: Endpoint<Body> | ((item: Item) => Endpoint<Body>);
  request?: (item: Item) => CallOptions | Promise<CallOptions>;
};

/** The definition of an operation whose name has a default, such as `getAll` and "Get Many". */
type OperationRow<Body> = Omit<CallOperationDetails<Body>, 'name' | 'displayName'> &
  Partial<Pick<CallOperationDetails<Body>, 'name' | 'displayName'>>;

/** Creates an operation that makes one call and returns one item for each entry of a list: Get Many. */
export const createListOperation = (row: OperationRow<ListResponse>): ItemOperation =>
  createCallOperation({ name: 'getAll', displayName: 'Get Many', ...row, read: ({ items }) => items });

/** Creates an operation that makes one call and returns one object: Get. */
export const createGetOperation = (row: OperationRow<unknown>): ItemOperation =>
  createCallOperation({ name: 'get', displayName: 'Get', ...row });
