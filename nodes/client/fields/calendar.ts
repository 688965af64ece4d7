import { parseParts, readParts } from './composite';
import { dateKind } from './dateTime';
import { type CompositePart, type FieldKind, defineKind } from './kind';
import type { Operator } from './operators';

/**
 * Start and end have separate payload keys (spec: `slug__start`, `slug__end`). The spec names no filter
 * suffixes for a Calendar: a filter compares the whole field by its start and cannot compare the end.
 */
const createEnd = (name: string, label: string): CompositePart => ({
  payload: name,
  filter: name,
  label,
  kind: 'date',
  formatKey: (slug) => `${slug}__${name}`,
  formatFilterId: (slug) => (name === 'start' ? slug : undefined),
});

const parts = [createEnd('start', 'Start'), createEnd('end', 'End')];

/** Returns the start of a canonical value, which is a range or the text of a single date. */
const getStart = (value: unknown) =>
  typeof value === 'object' && value !== null ? (value as { start?: unknown }).start : value;

/** Makes a date operator compare the start of the range. */
const compareStart = ({ matches, ...operator }: Operator): Operator => ({
  ...operator,
  ...(matches && { matches: (value, val, context) => matches(getStart(value) ?? null, val, context) }),
});

/** Calendar: a date range. */
export const calendarKind: FieldKind = defineKind({
  types: /^(calendar|date range)/,
  example: '{"start": "2025-03-01", "end": "2025-03-31"}',
  parts,
  hasSingleSpelling: true,
  operators: dateKind.operators.map(compareStart),
  rangeOperators: dateKind.rangeOperators,
  isMatchable: false,
  createColumns: ({ slug, name }) =>
    parts.map((part) => ({ key: part.formatKey(slug), label: `${name}: ${part.label}`, type: 'dateTime' })),
  encode: (value, field, context) =>
    parseParts(value, field, calendarKind).flatMap(([part, end]) =>
      dateKind.encode(end, { ...field, slug: part.formatKey(field.slug) }, context),
    ),
  read(value, field) {
    const range = readParts(value, field, parts, (end) => dateKind.read(end, field));
    return typeof range === 'string' ? dateKind.read(range, field) : range;
  },
  encodeOperand: dateKind.encodeOperand,
});
