import type { Field } from './field';
import type { CompositePart } from './kind';

/** Returns a label for each field: its name, followed by its slug if several fields have the same name. */
export function listFieldLabels(fields: Field[]): string[] {
  const counts = new Map<string, number>();
  for (const { name } of fields) counts.set(name, (counts.get(name) ?? 0) + 1);
  return fields.map(({ name, slug }) => (counts.get(name) === 1 ? name : `${name} [${slug}]`));
}

/** Adds the field's type to its label, unless the label is the same word: "Email", but "Status (Select)". */
export const formatTypedLabel = (label: string, { type }: Pick<Field, 'type'>): string =>
  label.toLowerCase() === type.toLowerCase() ? label : `${label} (${type})`;

/**
 * Converts a part of a composite field to a field, so that its values and filters are handled by the part's
 * kind.
 */
export const toPartField = (field: Field, { kind, label, formatKey }: CompositePart): Field => ({
  ...field,
  kind,
  slug: formatKey(field.slug),
  name: `${field.name}: ${label}`,
});
