import type { Field } from '../data/field';
import type { ServiceOptions } from '../options';
import type { EventBody } from './webhooks';

/** A delivery as it is sent. */
export interface DeliveryText {
  contentType: string;
  text: string;
}

/**
 * Writes the body of a delivery. The documented form is the event as JSON (spec: Events). The flat forms have `id` and
 * the values of the record alone, as JSON or as a form: `id=b6WQk9NrBZ&name=Lamp&products[0]=K2ejq1Rw9B`.
 */
export function formatDelivery(
  event: EventBody,
  fields: readonly Field[],
  form: ServiceOptions['deliveryForm'],
): DeliveryText {
  if (form === 'documented') return { contentType: 'application/json', text: JSON.stringify(event) };
  const multiple = new Set(fields.filter(({ format }) => format.listsChoices).map(({ slug }) => slug));
  const flat = Object.entries(event.record).map(([key, value]): [string, unknown] => [
    key,
    multiple.has(key) ? flattenChoices(value as string[]) : value,
  ]);
  if (form === 'flatJson')
    return { contentType: 'application/json', text: JSON.stringify(Object.fromEntries(flat)) };
  const parts = flat.flatMap(([key, value]) => listFormParts(key, value));
  return { contentType: 'application/x-www-form-urlencoded', text: String(new URLSearchParams(parts)) };
}

/** One value is a text, several are a map with number keys, none is ''. */
const flattenChoices = (values: string[]): unknown => (values.length > 1 ? { ...values } : (values[0] ?? ''));

/** `list[0]`, `name[first_name]`; an empty value is ''. */
function listFormParts(key: string, value: unknown): [string, string][] {
  if (value === null || value === undefined) return [[key, '']];
  if (typeof value !== 'object') return [[key, String(value)]];
  const entries = Object.entries(value);
  if (entries.length === 0) return [[key, '']];
  return entries.flatMap(([part, one]) => listFormParts(`${key}[${part}]`, one));
}
