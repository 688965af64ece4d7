import type { IBinaryKeyData, IDataObject, INodeProperties } from 'n8n-workflow';
import type { Endpoint } from '../model/endpoint';
import { listIn } from '../model/responses';
import type { Call } from '../transport/client';
import type { Item } from './item';

/** One item that an operation puts out; the item loop adds what pairs it with its input. */
export interface Output {
  json: IDataObject;
  binary?: IBinaryKeyData;
}

/** What an operation does with one input item. */
export type Run = (item: Item) => Promise<Output[]>;

/**
 * An operation is data: the node's form, the runner, the README's table and the contract test all read it.
 * `name`, once released, stands in saved workflows and never changes.
 */
export interface Operation {
  name: string;
  displayName: string;
  /** For the node palette: "Get many records". */
  action: string;
  description: string;
  /** Every endpoint that it may call. */
  endpoints: Endpoint[];
  parameters?: INodeProperties[];
  run: Run;
  /** Items with the same key run one after the other, in input order: writes to one record, say. */
  serialKey?: (item: Item) => string;
}

export interface Resource {
  name: string;
  displayName: string;
  description?: string;
  operations: Operation[];
}

/** Outputs for one object, or for each object of a list. */
export const outputs = (value: unknown): Output[] =>
  [value].flat().map((json) => ({
    json: (typeof json === 'object' && json !== null ? json : { value: json }) as IDataObject,
  }));

type Details = Omit<Operation, 'endpoints' | 'run'>;

/**
 * A routine operation: one call, its answer handed on. Path parameters are the node parameters of the same
 * name. `items` names the list in the answer to put out item by item; `read` takes the one thing out of it, also
 * where a list is named and the answer has none. Without both the answer is one item.
 */
export function callOperation(
  details: Details & {
    endpoint: Endpoint;
    items?: string;
    read?: (body: unknown) => unknown;
    request?: (item: Item) => Call | Promise<Call>;
  },
): Operation {
  const { endpoint, items, read = (body) => body, request, ...rest } = details;
  return {
    ...rest,
    endpoints: [endpoint],
    async run(item) {
      const call = (await request?.(item)) ?? {};
      const { body } = await item.client.call(endpoint, {
        ...call,
        path: { ...pathOf(endpoint, item), ...call.path },
      });
      const list = items === undefined ? undefined : listIn(body, items);
      return outputs(list ?? read(body));
    },
  };
}

const pathOf = (endpoint: Endpoint, item: Item): Record<string, unknown> =>
  Object.fromEntries(
    [...endpoint.path.matchAll(/\{(\w+)\}/g)]
      .map(([, name = '']) => name)
      .filter((name) => name !== 'appId')
      .map((name) => [name, item.id(name)]),
  );
