import type { FullField } from '../responses/tables';
import type { Field } from './field';
import { findKindName } from './kinds';
/** Types with calculated values. The spec mentions formulas but does not name their type. */
const COMPUTED_TYPE = /formula|equation|rollup|auto.?(number|increment)/i;

/** Whether the service calculates the values of this type. */
export const isComputedType = (type: string): boolean => COMPUTED_TYPE.test(type);

const isFilledText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/**
 * Parses the target of a connection. `1-to-1` and `N-to-1` take one ID, all other types take a list of IDs.
 */
function parseConnection(join: unknown): Field['connection'] {
  const { join_type, data_table_id, field_slug, field_id } = (join ?? {}) as Record<string, unknown>;
  return {
    many: !(typeof join_type === 'string' && /(to-1|to-one|to_one)$/i.test(join_type.trim())),
    tableId: isFilledText(data_table_id) ? data_table_id : undefined,
    nameField: [field_slug, field_id].filter(isFilledText),
  };
}

export function toField(full: FullField): Field {
  const type = full.type || 'Text';
  const kind = findKindName(type);
  return {
    slug: full.slug,
    fieldId: full.fieldId,
    name: full.name || full.slug,
    type,
    kind,
    description: full.description,
    defaultValue: full.default_value == null ? '' : String(full.default_value),
    unique: ['yes', 'true', '1'].includes(full.is_unique.toLowerCase()),
    computed: isComputedType(full.type),
    options: full.options.map(({ label, value }) => ({ label, value })),
    ...(kind === 'connection' && { connection: parseConnection(full.join) }),
  };
}
