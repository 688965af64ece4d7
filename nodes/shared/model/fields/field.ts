import type { FullField } from '../responses';
import { kindOfType, type FieldKind } from './kind';

/** A field of a table as the rest of the package sees it (spec: Field, full). */
export interface Field {
  slug: string;
  fieldId: string;
  name: string;
  /** The service's own word, for people: `Date-Time`, `Decision Box`. */
  type: string;
  kind: FieldKind;
  description: string;
  /** Configured default; the service does not apply it on create (spec: Record). */
  defaultValue: string;
  unique: boolean;
  /** Worked out by the service: read, filtered and sorted by, but never sent. */
  computed: boolean;
  /** Choices of a Select, Radio, Dropdown, Multi-select or Checkbox field; empty for the others. */
  options: Array<{ label: string; value: string }>;
  /** Only for Connection fields: whether it takes many ids, and the other table. */
  connection?: { many: boolean; tableId?: string };
}

/** Types that hold results; the spec names formulas but no type for them. */
const COMPUTED = /formula|equation|rollup|auto.?(number|increment)/i;

/** Where a connection leads. `1-to-1` and `N-to-1` take a single id, everything else a list of ids. */
function connectionOf(join: unknown): Field['connection'] {
  const { join_type, data_table_id } = (join ?? {}) as Record<string, unknown>;
  return {
    many: !(typeof join_type === 'string' && /(to-1|to-one|to_one)$/i.test(join_type.trim())),
    tableId: typeof data_table_id === 'string' && data_table_id !== '' ? data_table_id : undefined,
  };
}

export function fieldFrom(full: FullField): Field {
  const kind = kindOfType(full.type);
  return {
    slug: full.slug,
    fieldId: full.fieldId,
    name: full.name || full.slug,
    type: full.type || 'Text',
    kind,
    description: full.description,
    defaultValue: full.default_value == null ? '' : String(full.default_value),
    unique: ['yes', 'true', '1'].includes(full.is_unique.toLowerCase()),
    computed: COMPUTED.test(full.type),
    options: full.options.map(({ label, value }) => ({ label, value })),
    ...(kind === 'connection' && { connection: connectionOf(full.join) }),
  };
}
