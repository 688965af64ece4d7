import { isObject } from '../../input/isObject';

/**
 * Lists the messages of a validation error with their paths, in the order of the response (spec: Errors,
 * `errors`).
 */
function collectTexts(errors: unknown, path: string): Array<[path: string, text: string]> {
  if (Array.isArray(errors)) return errors.flatMap((entry) => collectTexts(entry, path));
  if (isObject(errors))
    return Object.entries(errors).flatMap(([key, entry]) =>
      collectTexts(entry, path ? `${path}.${key}` : key),
    );
  return errors === null || errors === undefined || errors === '' ? [] : [[path, String(errors)]];
}

/** Lists the messages of one field, at any depth. */
export const findFieldTexts = (errors: unknown): string[] => collectTexts(errors, '').map(([, text]) => text);

/**
 * Formats `{slug: [text]}` as one line: "slug: text, text; other: text". Nested objects become "outer.inner:
 * text".
 */
export function formatFieldErrors(errors: unknown): string {
  if (typeof errors !== 'object') return '';
  const textsByPath = new Map<string, string[]>();
  for (const [path, text] of collectTexts(errors, ''))
    textsByPath.set(path, [...(textsByPath.get(path) ?? []), text]);
  return [...textsByPath].map(([path, texts]) => (path ? `${path}: ` : '') + texts.join(', ')).join('; ');
}
