export { buildFilter, type BuildContext } from './build';
export { buildMatcher, type Matcher } from './matcher';
export { getOperators, OPERATORS_WITHOUT_VALUE, type OperatorContext } from './operators';
export { ANY_OF, BETWEEN, RELATIVE, type Operand, type Operator } from '../fields';
export { RELATIVE_UNITS, toDateRange, type RelativeDate, type RelativeUnit } from './relativeDate';
export { isEmptyTree, type Condition, type FilterGroup, type FilterItem, type FilterTree } from './tree';
export { addShortForm, parseFilterJson } from './parseFilterJson';
export { checkFilterTree } from './resolveCondition';
export { resolveComparison } from './resolveComparison';
export {
  buildSymbolicFilter,
  flattenForSymbolic,
  isSymbolicOperator,
  type SymbolicItem,
  type SymbolicUse,
} from './symbolic';
