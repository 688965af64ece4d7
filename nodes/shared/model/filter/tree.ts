import type { ConnectionNotation } from '../records/connectionEntries';

/** A condition from the form or an expression. It is not checked against the table yet. */
export interface Condition {
  /** Slug or ID of a field, or a part of one: `name-first`. */
  field: string;
  operator: string;
  /**
   * Comparison value: a list for `is any of`, `{from, to}` for `between`, a `RelativeDate` for `is within`.
   */
  value?: unknown;
  /** How the value of a connection names records. By default, a text may be an ID or a name. */
  notation?: ConnectionNotation;
  /** The names of all fields in the same JSON object. Two names of one field are an error. */
  siblings?: string[];
}

/** Conditions and nested groups, joined by all (AND) or any (OR). */
export interface FilterTree {
  match: 'all' | 'any';
  conditions: Condition[];
  groups: FilterTree[];
}

/** Spec: Filters, primary form. The service silently ignores items with other keys. */
export interface FilterItem {
  field_id: string;
  operator: string;
  val?: string | number;
}

export interface FilterGroup {
  condition: 'AND' | 'OR';
  items: FilterItem[];
  child: FilterGroup[];
}

export const isEmptyTree = (tree: FilterTree): boolean =>
  tree.conditions.length === 0 && tree.groups.every(isEmptyTree);

/** Keys of an object that is one value: a connected record or a choice. All other objects hold operators or parts. */
const VALUE_KEYS = new Set(['id', 'name', 'val', 'value', 'label']);
export const isObjectValue = (value: object): boolean =>
  Object.keys(value).every((key) => VALUE_KEYS.has(key));
