import type { IDataObject } from 'n8n-workflow';
import type { Field } from '../shared/model/fields';

/**
 * What the trigger keeps in n8n's static data. All of it is a cache: lost with a crash, it is made again
 * from the service's list, and the tokens are computed, not stored.
 */
export interface State {
  /** Ids of the subscriptions, and the tables they are on. */
  ids: string[];
  tables: string[];
  /** Every address under which a subscription may still stand. */
  addresses: string[];
  /** The service lists our addresses without their query: deliveries come without a token. */
  dropsToken: boolean;
  /** Fields of the tables where the form needs them, so that a delivery waits for no other call. */
  fields: Record<string, Field[]>;
  /** Hashes of the latest deliveries. */
  seen: string[];
}

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

/** Reads the notes of `owner`; those of another n8n or app, come with an imported workflow, count for nothing. */
export function readState(data: IDataObject, owner: string): State {
  const own = data.owner === owner ? data : {};
  return {
    ids: strings(own.ids),
    tables: strings(own.tables),
    addresses: strings(own.addresses),
    dropsToken: own.dropsToken === true,
    fields: (own.fields ?? {}) as unknown as State['fields'],
    seen: typeof own.seen === 'string' ? own.seen.split(' ').filter(Boolean) : [],
  };
}

export function writeState(data: IDataObject, owner: string, changes: Partial<State>): void {
  const state = { ...readState(data, owner), ...changes };
  // As one text: n8n copies and watches every entry of an array, with each delivery.
  Object.assign(data, { owner, ...state, seen: state.seen.join(' ') });
}
