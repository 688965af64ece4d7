import { getKind, KIND_NAMES, type KindName, type Operator } from '../fields';

export interface OperatorContext {
  /** Whether the credential logs a user in. The operators for the logged-in user need it. */
  userLogin: boolean;
}

/** Lists the operators of a kind that the credential can use (spec: "Operators by field kind"). */
export const getOperators = (kind: KindName, { userLogin }: OperatorContext): Operator[] =>
  getKind({ kind }).operators.filter(({ needsUser }) => userLogin || !needsUser);

/** All operators without a comparison value. The form shows no input for them. */
export const OPERATORS_WITHOUT_VALUE: string[] = [
  ...new Set(
    KIND_NAMES.flatMap((kind) => getKind({ kind }).operators)
      .filter(({ operand }) => operand === 'none')
      .map(({ name }) => name),
  ),
];
