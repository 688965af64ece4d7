export { buildFilter, type BuildContext } from './build';
export {
  ANY_OF,
  BETWEEN,
  operatorsOf,
  OPERATORS_WITHOUT_VALUE,
  RELATIVE,
  type Operand,
  type Operator,
} from './operators';
export { RELATIVE_UNITS, relativeSpan, type Relative, type RelativeUnit } from './relative';
export { isEmptyTree, type Condition, type FilterGroup, type FilterItem, type FilterTree } from './tree';
export { treeFromJson } from './json';
export {
  buildSymbolic,
  symbolicFromJson,
  type SymbolicCondition,
  type SymbolicInput,
  type SymbolicItem,
} from './symbolic';
