import { CREATED_AT } from '../data/field';
import type { FilterForm } from '../options';
import type { Operator } from './operator';
import { CONTAINS_ANY, OPERATORS } from './operators';
import { type FilterScope, findSubject, type Predicate } from './subject';
import { CONDITIONS } from './symbolic';

/** The two forms of a filter item; using the keys of one in the other fails silently (spec: Filters). */
interface Dialect {
  operatorKey: 'operator' | 'condition';
  valueKey: 'val' | 'value';
  operators: Record<string, Record<string, Operator>>;
  /** Other keys of a group are ignored and noted. */
  groupKeys: readonly string[];
}

const PRIMARY: Dialect = {
  operatorKey: 'operator',
  valueKey: 'val',
  operators: OPERATORS,
  groupKeys: ['condition', 'items', 'child'],
};
const SYMBOLIC: Dialect = {
  ...PRIMARY,
  operatorKey: 'condition',
  valueKey: 'value',
  operators: CONDITIONS,
};
/** Groups of batch-update and batch-update-check have `items` only (spec: Records). */
const BATCH: Dialect = { ...SYMBOLIC, groupKeys: ['items'] };

type Compile = (filters: unknown, scope: FilterScope) => Predicate | undefined;

/** These return undefined when there is no filter: none was sent, or all of it was dropped. */
const createCompile =
  (form: FilterForm, compile: Compile): Compile =>
  (filters, scope) => {
    const { ignoredFilters } = scope.app.options;
    const isIgnored =
      ignoredFilters.includes(form) || ignoredFilters.includes(`${form} of ${scope.table.name}`);
    return isIgnored ? undefined : compile(filters, scope);
  };

export const compilePrimary = createCompile('primary', (filters, scope) =>
  compileGroup(filters, scope, PRIMARY),
);
export const compileSymbolic = createCompile('symbolic', (filters, scope) =>
  compileGroup(filters, scope, SYMBOLIC),
);
export const compileBatchFilter = createCompile('check', (filters, scope) =>
  compileGroup(filters, scope, BATCH),
);

/** `conditions` of a batch update: an array of groups. */
export const compileBatchConditions = createCompile('batch', (conditions, scope) => {
  const groups = readList(conditions, 'conditions', scope).map((group) => compileGroup(group, scope, BATCH));
  return combinePredicates(groups, scope.app.options.batchGroups === 'any');
});

function compileGroup(filters: unknown, scope: FilterScope, dialect: Dialect): Predicate | undefined {
  if (filters === undefined) return undefined;
  if (filters === null || typeof filters !== 'object' || Array.isArray(filters)) {
    return failSilently('a filter is not a group {condition, items, child}', scope);
  }
  const known = Object.entries(filters).filter(([key]) => {
    const isKnown = dialect.groupKeys.includes(key);
    if (!isKnown) scope.report(`undocumented filter group key "${key}"`);
    return isKnown;
  });
  const { condition = 'AND', items, child } = Object.fromEntries(known) as Record<string, unknown>;
  if (!['AND', 'OR', 'any', 'all'].includes(condition as string)) {
    scope.report(`unknown group condition ${JSON.stringify(condition)}`);
  }
  const tests = [
    ...readList(items, 'items', scope).map((entry) => compileItem(entry, scope, dialect)),
    ...readList(child, 'child', scope).map((entry) => compileGroup(entry, scope, dialect)),
  ];
  return combinePredicates(tests, condition === 'OR' || condition === 'any');
}

function compileItem(raw: unknown, scope: FilterScope, dialect: Dialect): Predicate | undefined {
  const { operatorKey, valueKey, operators } = dialect;
  if (raw === null || typeof raw !== 'object') return failSilently('a filter item is not an object', scope);
  const entry = raw as Record<string, unknown>;
  const stray = Object.keys(entry).find((key) => !['field_id', operatorKey, valueKey].includes(key));
  if (stray !== undefined) {
    return failSilently(
      `filter item key "${stray}" (this form: field_id, ${operatorKey}, ${valueKey})`,
      scope,
    );
  }
  const isDropped = entry.field_id === CREATED_AT.slug && scope.app.options.systemColumns === 'dropped';
  if (isDropped) return undefined;
  const subject = findSubject(String(entry.field_id), scope);
  if (!subject) {
    // Dropped without an error under every reading (spec: "Unknown field rule").
    scope.report(`filter on unknown field "${String(entry.field_id)}"`);
    return undefined;
  }
  const name = String(entry[operatorKey]);
  const isKnown = name !== CONTAINS_ANY || scope.app.options.containsAny === 'known';
  const available = (isKnown && operators[subject.kind]) || {};
  const operator = Object.hasOwn(available, name) ? available[name] : undefined;
  if (!operator) return failSilently(`"${name}" is not an operator of a ${subject.field.type} field`, scope);
  const val = entry[valueKey];
  if (operator.takesValue === false && val !== undefined && valueKey === 'val') {
    scope.report(`"${name}" takes no value: "val" is to be omitted`);
  }
  const usable =
    operator.takesValue === false ||
    isScalar(val) ||
    (operator.takesValue === 'optional' && val === undefined);
  const comparison = usable ? operator.build(String(val ?? ''), subject, scope) : undefined;
  if (!comparison) return failSilently(`"${name}" cannot use the value ${JSON.stringify(val)}`, scope);
  return (record) => comparison(subject.read(record) as never);
}

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

/** "Fails silently" has two readings: the item is dropped, or it matches nothing. */
function failSilently(message: string, scope: FilterScope): Predicate | undefined {
  scope.report(message);
  return scope.app.options.brokenFilter === 'matchesNothing' ? () => false : undefined;
}

function readList(value: unknown, key: string, scope: FilterScope): unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  scope.report(`"${key}" of a filter group is not an array`);
  return [];
}

function combinePredicates(tests: (Predicate | undefined)[], any: boolean): Predicate | undefined {
  const present = tests.filter((test) => test !== undefined);
  if (present.length === 0) return undefined;
  return (record) => (any ? present.some((test) => test(record)) : present.every((test) => test(record)));
}
