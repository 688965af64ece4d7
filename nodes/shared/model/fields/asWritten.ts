import { omitBy } from 'lodash';
import { isBlank } from './codec';
import { partsOf } from './composite';
import type { Field } from './field';

/** What a composite may show beside its parts: all of them in one text, and its own id. */
const DERIVED = /^(formatted|full|display|text|label|id$)/;

/**
 * A value that was read, without what only reading brings: the label beside a choice, and what a composite
 * shows beside its parts. A part that is not known and holds something stays: it could not be written.
 */
export function asWritten(value: unknown, field: Field): unknown {
  if (Array.isArray(value)) return value.filter((one) => one !== null).map((one) => asWritten(one, field));
  if (typeof value !== 'object' || value === null) return value;
  const parts = partsOf(field);
  if (!parts) return 'value' in value && field.options.length > 0 ? value.value : value;
  const isKnown = (key: string) => parts.some(({ payload }) => payload === key);
  return omitBy(value, (part, key) => !isKnown(key) && (isBlank(part) || DERIVED.test(key)));
}
