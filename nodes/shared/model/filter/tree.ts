/** A condition as the form or an expression gives it, before it is checked against the table. */
export interface Condition {
  /** Slug or field id, or a part: `name-first`. */
  field: string;
  operator: string;
  /** Comparison value; a list for `is any of`, `{from, to}` for `between`, a Relative for `is within`. */
  value?: unknown;
}

/** Conditions and nested groups, joined by all (AND) or any (OR). */
export interface FilterTree {
  match: 'all' | 'any';
  conditions: Condition[];
  groups: FilterTree[];
}

/** Spec: Filters, primary form. The keys must be exactly these; others fail in silence. */
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
