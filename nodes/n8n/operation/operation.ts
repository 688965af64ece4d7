/** The types of operations, resources and results, and the functions that create operations. */
import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';
import type { CallOptions, Endpoint, ListResponse } from '../../service';
import type { AnswerOptions } from '../agent/agent';
import type { ParameterDefinition } from '../parameters/parameter';
import type { Item, Items } from './item';

/**
 * Creates an operation that calls one endpoint. A path parameter gets the value of the node parameter with
 * the same name. `read` returns the output, one object or a list. By default, the body is the output.
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

interface ResultOrigin {
  /** Indexes of the input items that led to the result; by default, of the item that ran. */
  itemIndexes?: number[];
}

export interface Output extends ResultOrigin {
  json: IDataObject;
  binary?: IBinaryKeyData;
}

/**
 * A part of the work that failed, such as one of many records. With Continue On Fail, each of its input items
 * gets an error item. Otherwise the first failure is thrown, and the outputs are lost.
 */
export interface Failure extends ResultOrigin {
  error: unknown;
  /** Whether a second run may do the work twice. Only operations that run once for all items set this. */
  isFinal?: boolean;
}

export type Result = Output | Failure;

export const isFailure = (result: Result): result is Failure => 'error' in result;

export interface RunMode {
  /** Whether Continue On Fail is set. If not, no further work starts after a failure. */
  continuesOnFail: boolean;
  /** With Retry On Fail, for operations that run once for all items: the results of earlier tries. */
  tries?: { earlier: Result[] };
}

/** Runs once for all items. The parameters of the whole run come from the first item. */
export type AllItemsHandler = (items: Items, mode: RunMode) => Promise<Result[]>;

/**
 * An operation, from which the form of the node, its run, the documentation and the contract test are made.
 * Saved workflows store `name`, so `name` must not change after a release.
 */
interface OperationDefinition extends Omit<AnswerOptions, 'tokens'> {
  name: string;
  displayName: string;
  /** The text in the node palette, for example "Get many records". */
  action: string;
  description: string;
  /**
   * Whether the operation changes or starts something in the service. Any other operation can be run again at
   * any time. The contract test compares `writes` with the requests.
   */
  writes?: boolean;
  parameters?: ParameterDefinition[];
  /** What a second run would create or start twice. `isSafe`: whether an item can run twice without that. */
  makes?: { noun: string; remedy: string; isSafe?: (item: Item) => boolean };
}

/** An operation that runs once for each item, with several items in parallel. */
export interface ItemOperation extends OperationDefinition {
  run: (item: Item, mode: RunMode) => Promise<Result[]>;
  /**
   * Checks the values of an item by the fields of its table, before the first item is written. Continue On
   * Fail skips this check. Reads the record only if a value is invalid, because the record may already hold
   * this value.
   * @throws InputError for an invalid value
   */
  check?: (item: Item) => Promise<void>;
  /** Rewrites the error of an item with the labels of the form and the remedies of the operation. */
  explain?: (item: Item, error: unknown) => Promise<unknown>;
  /** Items with the same key, such as that of a record to write, run one after the other, in input order. */
  serialKey?: (item: Item) => string;
}

export interface AllItemsOperation extends OperationDefinition {
  runAll: AllItemsHandler;
  /** Parameters and options that are read for each item. All others apply to the whole run. */
  itemParameters?: ParameterDefinition[];
}

export type Operation = ItemOperation | AllItemsOperation;

export interface Resource {
  name: string;
  displayName: string;
  operations: Operation[];
}

/** Returns one output for an object, or one for each entry of a list. */
export const toOutputs = (value: unknown): Output[] =>
  (Array.isArray(value) ? value : [value]).map((json: unknown) => ({
    json: (typeof json === 'object' && json !== null ? json : { value: json }) as IDataObject,
  }));

type CallOperationDetails<Body> = Omit<ItemOperation, 'run'> & {
  /** If `endpoint` is a function, set `writes`: whether any endpoint that it returns writes. */
  endpoint: Endpoint<Body> | ((item: Item) => Endpoint<Body>);
  request?: (item: Item) => CallOptions | Promise<CallOptions>;
};

type OperationWithDefaultName<Body> = Omit<CallOperationDetails<Body>, 'name' | 'displayName'> &
  Partial<Pick<CallOperationDetails<Body>, 'name' | 'displayName'>>;

/** Creates an operation, by default Get Many, whose response has a list. Each entry becomes an item. */
export const createListOperation = (row: OperationWithDefaultName<ListResponse>): ItemOperation =>
  createCallOperation({ name: 'getAll', displayName: 'Get Many', ...row, read: ({ items }) => items });

/** Creates an operation, by default Get, whose response is one object. */
export const createGetOperation = (row: OperationWithDefaultName<unknown>): ItemOperation =>
  createCallOperation({ name: 'get', displayName: 'Get', ...row });
