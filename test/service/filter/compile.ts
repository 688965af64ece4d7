import type { Operator } from './operator';
import { OPERATORS } from './operators';
import { findSubject, type Scope, type Test } from './subject';
import { CONDITIONS } from './symbolic';

/** The two forms of a filter item; using the keys of one in the other fails silently (spec: Filters). */
interface Dialect {
  operatorKey: 'operator' | 'condition';
  valueKey: 'val' | 'value';
  operators: Record<string, Record<string, Operator>>;
}

const PRIMARY: Dialect = { operatorKey: 'operator', valueKey: 'val', operators: OPERATORS };
const SYMBOLIC: Dialect = { operatorKey: 'condition', valueKey: 'value', operators: CONDITIONS };

/** undefined stands for "no filter": nothing was asked, or all of it was dropped. */
export const compilePrimary = (filters: unknown, scope: Scope) => group(filters, scope, PRIMARY);
export const compileSymbolic = (filters: unknown, scope: Scope) => group(filters, scope, SYMBOLIC);

/** `conditions` of a batch update: groups of `items` alone. */
export function compileGroups(conditions: unknown, scope: Scope): Test | undefined {
  const groups = list(conditions, 'conditions', scope).map((item) => compileSymbolic(item, scope));
  return combine(groups, scope.app.options.batchGroups === 'any');
}

function group(filters: unknown, scope: Scope, dialect: Dialect): Test | undefined {
  if (filters === undefined) return undefined;
  if (filters === null || typeof filters !== 'object' || Array.isArray(filters)) {
    return fail('a filter is not a group {condition, items, child}', scope);
  }
  const { condition = 'AND', items, child, ...rest } = filters as Record<string, unknown>;
  for (const key of Object.keys(rest)) scope.report(`undocumented filter group key "${key}"`);
  if (!['AND', 'OR', 'any', 'all'].includes(condition as string)) {
    scope.report(`unknown group condition ${JSON.stringify(condition)}`);
  }
  const tests = [
    ...list(items, 'items', scope).map((entry) => item(entry, scope, dialect)),
    ...list(child, 'child', scope).map((entry) => group(entry, scope, dialect)),
  ];
  return combine(tests, condition === 'OR' || condition === 'any');
}

function item(raw: unknown, scope: Scope, dialect: Dialect): Test | undefined {
  const { operatorKey, valueKey, operators } = dialect;
  if (raw === null || typeof raw !== 'object') return fail('a filter item is not an object', scope);
  const entry = raw as Record<string, unknown>;
  const stray = Object.keys(entry).find((key) => !['field_id', operatorKey, valueKey].includes(key));
  if (stray !== undefined) {
    return fail(`filter item key "${stray}" (this form: field_id, ${operatorKey}, ${valueKey})`, scope);
  }
  const subject = findSubject(String(entry.field_id), scope.table);
  if (!subject) {
    // Dropped without an error under every reading (spec: "Unknown field rule").
    scope.report(`filter on unknown field "${String(entry.field_id)}"`);
    return undefined;
  }
  const name = String(entry[operatorKey]);
  const operator = operators[subject.kind]?.[name];
  if (!operator) return fail(`"${name}" is no operator of a ${subject.field.type} field`, scope);
  const val = entry[valueKey];
  if (operator.takesValue === false && val !== undefined && valueKey === 'val') {
    scope.report(`"${name}" takes no value: "val" is to be omitted`);
  }
  const usable =
    operator.takesValue === false ||
    isScalar(val) ||
    (operator.takesValue === 'optional' && val === undefined);
  const comparison = usable ? operator.build(String(val ?? ''), subject, scope) : undefined;
  if (!comparison) return fail(`"${name}" cannot use the value ${JSON.stringify(val)}`, scope);
  return (record) => comparison(subject.read(record) as never);
}

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

/** "Fails silently" has two readings: the item is left out, or nothing passes it. */
function fail(message: string, scope: Scope): Test | undefined {
  scope.report(message);
  return scope.app.options.brokenFilter === 'matchesNothing' ? () => false : undefined;
}

function list(value: unknown, key: string, scope: Scope): unknown[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  scope.report(`"${key}" of a filter group is not an array`);
  return [];
}

function combine(tests: (Test | undefined)[], any: boolean): Test | undefined {
  const present = tests.filter((test) => test !== undefined);
  if (present.length === 0) return undefined;
  return (record) => (any ? present.some((test) => test(record)) : present.every((test) => test(record)));
}
