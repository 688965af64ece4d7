import { toWordKey } from '../comparison';

/** Names that other systems use for the keys of the service, by key of the service. */
export type KeyAliases = Record<string, string[]>;

/** Finds the key of an object for a key of the service: that key, or the only one that is an alias of it. */
export function findKey(value: object, aliases: KeyAliases, key: string): string | undefined {
  if (Object.hasOwn(value, key)) return key;
  const names = new Set([key, ...(aliases[key] ?? [])].map(toWordKey));
  const found = Object.keys(value).filter((name) => names.has(toWordKey(name)));
  return found.length === 1 ? found[0] : undefined;
}

export const hasKey = (value: object, aliases: KeyAliases, key: string): boolean =>
  findKey(value, aliases, key) !== undefined;

/** Renames aliases to the keys of the service. All other keys stay, so that the schema check reports them. */
export function renameKeys(value: Record<string, unknown>, aliases: KeyAliases): Record<string, unknown> {
  const keys = new Map(Object.keys(aliases).map((key) => [findKey(value, aliases, key), key]));
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [keys.get(name) ?? name, entry]));
}
