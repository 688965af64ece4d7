/** The operators that a form offers: `listOperators` lists their names. */
import { uniq } from 'lodash';
import type { KindName } from '../fields/field';
import { KIND_NAMES } from '../fields/kinds';
import { type Operator, stateOperator } from '../fields/operators';
import { isSymbolicOperator } from './symbolic';
import { getOperators } from './tree';

/** Which operators are listed; all of them by default. */
interface OperatorChoice {
  /** Those of one kind of fields. */
  kind?: KindName;
  /** Those that compare with no value, one value, two ends, a list of values or a period. */
  operand?: Operator['operand'];
  /** `symbolic`: those that the symbolic form of the service has. `matcher`: those that `compileFilter` can evaluate. */
  use?: 'symbolic' | 'matcher';
  /** Whether those for the logged-in user are listed too. */
  hasUserLogin?: boolean;
}

/**
 * Lists the names of operators, in the order in which a form shows them (spec: "Operators by field kind").
 * @example
 * listOperators({ kind: 'checkbox' }); // ['is', 'is checked', 'is unchecked', …]
 * listOperators({ operand: 'two' }); // ['between']
 */
export function listOperators({ kind, operand, use, hasUserLogin = true }: OperatorChoice): string[] {
  const isListed = (operator: Operator, of: KindName): boolean =>
    (operand === undefined || operator.operand === operand) &&
    (use !== 'symbolic' || isSymbolicOperator(operator.name, { kind: of })) &&
    // `is` of a kind without values is replaced before the filter is compared.
    (use !== 'matcher' || operator.matches !== undefined || operator === stateOperator);
  const names = (kind ? [kind] : KIND_NAMES).flatMap((of) =>
    getOperators(of, { hasUserLogin }).flatMap((operator) => (isListed(operator, of) ? operator.name : [])),
  );
  return uniq(names);
}
