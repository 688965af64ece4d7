import { isObject } from '../../input/isObject';

/** An item of the primary form. It is not checked yet. */
export type JsonItem = Record<string, unknown>;

/** A group of the primary form. It is not checked yet. */
export interface JsonGroup {
  condition: 'AND' | 'OR';
  items: unknown[];
  child: unknown[];
}

export type Member = JsonItem | JsonGroup;

const MATCHES = new Map<string, JsonGroup['condition']>([
  ...['and', '$and', '_and', '&&', '&', 'all', 'every'].map((word) => [word, 'AND'] as const),
  ...['or', '$or', '_or', '||', '|', 'any', 'some'].map((word) => [word, 'OR'] as const),
]);

/** Finds AND or OR for a word of another system. Undefined for any other value. */
export const findMatch = (word: unknown): JsonGroup['condition'] | undefined =>
  typeof word === 'string' ? MATCHES.get(word.trim().toLowerCase()) : undefined;

/** Whether a value is a word that joins conditions. `all` and `any` may be fields. */
export const isLogicWord = (word: unknown): word is string =>
  typeof word === 'string' && /^([$_]?(and|or)|&&?|\|\|?)$/i.test(word.trim());

/** Groups are members of `child`, everything else of `items`. */
export function createGroup(condition: JsonGroup['condition'], members: unknown[]): JsonGroup {
  const isChild = (member: unknown) => isObject(member) && ('items' in member || 'child' in member);
  return {
    condition,
    items: members.filter((member) => !isChild(member)),
    child: members.filter(isChild),
  };
}
