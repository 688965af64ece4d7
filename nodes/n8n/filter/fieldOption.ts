import type { KindName } from '../../client/fields/field';
import { KIND_NAMES } from '../../client/fields/kinds';

/**
 * Formats the value of a field option as `field_id|kind`. The form shows the input for that kind; the execution
 * reads the kind from the table instead. A slug may contain "|" too.
 */
export const formatFieldOption = (id: string, kind: KindName): string => `${id}|${kind}`;

/** Splits a field option into ID and kind. An expression may return the field ID alone. */
export function parseFieldOption(option: unknown): { id: string; kind?: KindName } {
  const text = String(option ?? '').trim();
  const bar = text.lastIndexOf('|');
  const kind = bar < 0 ? undefined : KIND_NAMES.find((name) => name === text.slice(bar + 1));
  return kind ? { id: text.slice(0, bar).trim(), kind } : { id: text };
}
