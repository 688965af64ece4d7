/** Operations and resources as data, and the results of an operation. */
import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';
import type { CallOptions, Endpoint, ListResponse } from '../../service';
import type { ParameterDefinition } from '../parameters/parameter';
import type { Item, Items } from './item';

/**
 * A path parameter gets the value of the node parameter with the same name. `read` selects the output: one object or a
 * list, by default the body.
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

/** By default, a result belongs to the item that ran. */
interface ResultOrigin {
  itemIndexes?: number[];
}

export interface Output extends ResultOrigin {
  json: IDataObject;
  binary?: IBinaryKeyData;
}

/**
 * A part of the work that failed, such as one of many records. With Continue On Fail, it becomes an error item for each
 * of its input items. Otherwise the first failure is thrown, and the outputs are lost.
 */
export interface Failure extends ResultOrigin {
  error: unknown;
  /** Whether a second run may do the work twice. Set by operations that run once for all items. */
  isFinal?: boolean;
}

export type Result = Output | Failure;

export const isFailure = (result: Result): result is Failure => 'error' in result;

export interface RunMode {
  /** Continue On Fail. Otherwise no further work starts after a failure. */
  continuesOnFail: boolean;
  /** With Retry On Fail, for operations that run once for all items: the results of earlier tries. */
  tries?: { earlier: Result[] };
}

type OperationHandler = (item: Item, mode: RunMode) => Promise<Result[]>;

/** Parameters of the whole run are those of the first item. */
export type AllItemsHandler = (items: Items, mode: RunMode) => Promise<Result[]>;

/**
 * The form of the node, its run, the documentation and the contract test are made from this. Saved workflows store
 * `name`, so it must not change after a release.
 */
interface OperationDefinition {
  name: string;
  displayName: string;
  /** The text in the node palette, for example "Get many records". */
  action: string;
  description: string;
  /**
   * Whether it changes or starts something in the service. Any other operation can be run again at any time. The
   * contract test compares this with the requests.
   */
  writes?: boolean;
  parameters?: ParameterDefinition[];
  /**
   * The output keys whose values an AI model sees without Return Secrets to AI; all by default. Any other key may hold
   * a secret, because the spec does not show every response. Open point: `autoLogin`.
   */
  shownKeys?: ReadonlySet<string>;
  /** How an AI model gets what a shortened answer leaves out. By default: with a filter, or with fewer fields. */
  cutAdvice?: string;
  /** What a second run would create or start twice. `isSafe`: whether an item may be run again. */
  makes?: { noun: string; remedy: string; isSafe?: (item: Item) => boolean };
}

/** Several items run at once. */
export interface ItemOperation extends OperationDefinition {
  run: OperationHandler;
  /**
   * Checks the values of an item by the fields of its table, before the first item is written, unless Continue On Fail
   * is set. Reads the record only if a value is invalid: it may already hold the value. @throws InputError
   */
  check?: (item: Item) => Promise<void>;
  /** Rewrites the error of an item with the labels of the form and the remedies of the operation. */
  explain?: (item: Item, error: unknown) => Promise<unknown>;
  /** For the error of a stopped run: `record`, `created`. By default `item`, `processed`. */
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

export interface Resource {
  name: string;
  displayName: string;
  operations: Operation[];
}

/** One output for an object, or one for each entry of a list. */
export const toOutputs = (value: unknown): Output[] =>
  (Array.isArray(value) ? value : [value]).map((json: unknown) => ({
    json: (typeof json === 'object' && json !== null ? json : { value: json }) as IDataObject,
  }));

type CallOperationDetails<Body> = Omit<ItemOperation, 'run'> & {
  /** With a function, set `writes` if any of its endpoints writes. */
  endpoint: Endpoint<Body> | ((item: Item) => Endpoint<Body>);
  request?: (item: Item) => CallOptions | Promise<CallOptions>;
};

type OperationWithDefaultName<Body> = Omit<CallOperationDetails<Body>, 'name' | 'displayName'> &
  Partial<Pick<CallOperationDetails<Body>, 'name' | 'displayName'>>;

/** Each entry of the list becomes an item. The default name is Get Many. */
export const createListOperation = (row: OperationWithDefaultName<ListResponse>): ItemOperation =>
  createCallOperation({ name: 'getAll', displayName: 'Get Many', ...row, read: ({ items }) => items });

/** Returns one object. The default name is Get. */
export const createGetOperation = (row: OperationWithDefaultName<unknown>): ItemOperation =>
  createCallOperation({ name: 'get', displayName: 'Get', ...row });
