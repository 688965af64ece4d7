import { isBlank, misfit, type Codec, type Entries } from './codec';
import type { Field } from './field';
import { date } from './moment';

/** A part of a composite field: its word in payloads, in filters, and for people. */
export interface Part {
  payload: string;
  filter: string;
  label: string;
}

const part = (payload: string, filter: string, label: string): Part => ({ payload, filter, label });

/** Spec: payload keys `slug[first_name]`, filter suffixes `-first` ("Filters", sub-fields). */
export const NAME_PARTS: Part[] = [
  part('title', 'title', 'Title'),
  part('first_name', 'first', 'First'),
  part('middle_name', 'middle', 'Middle'),
  part('last_name', 'last', 'Last'),
];

export const ADDRESS_PARTS: Part[] = [
  part('address', 'address', 'Address'),
  part('address2', 'address2', 'Address 2'),
  part('city', 'city', 'City'),
  part('state', 'state', 'State'),
  part('zip', 'zip', 'ZIP'),
  part('country', 'country', 'Country'),
];

/** Calendar: both ends are fields of their own in a payload, `slug__start` and `slug__end`. */
export const CALENDAR_PARTS: Part[] = [part('start', 'start', 'Start'), part('end', 'end', 'End')];

/** Parts of a composite field, or undefined for any other kind. */
export function partsOf(field: Field): Part[] | undefined {
  return { name: NAME_PARTS, address: ADDRESS_PARTS, calendar: CALENDAR_PARTS }[field.kind as string];
}

/** Key of a part in a payload, and of its column in the mapper. */
export const partKey = (field: Field, { payload }: Part) =>
  field.kind === 'calendar' ? `${field.slug}__${payload}` : `${field.slug}[${payload}]`;

/** `field_id` of a part in a filter: `slug-first` (spec: Filters). The ends of a Calendar have none. */
export const partFilterId = (field: Field, part: Part) => `${field.slug}-${part.filter}`;

/** Reads `{first_name: 'Ada'}`; `first` is understood too. Blank clears every part. */
function readParts(value: unknown, field: Field, parts: Part[], example: string): Array<[Part, unknown]> {
  if (isBlank(value)) return parts.map((one) => [one, null]);
  if (typeof value !== 'object' || Array.isArray(value)) throw misfit(field, value, example);
  return Object.entries(value as object).map(([key, partValue]) => {
    const known = parts.find((one) => one.payload === key || one.filter === key);
    if (!known) throw misfit(field, value, example, `It has no part "${key}".`);
    return [known, partValue];
  });
}

function composite(parts: Part[], example: string): Codec {
  return {
    example,
    columns: (field) =>
      parts.map((one) => ({
        key: partKey(field, one),
        label: `${field.name}: ${one.label}`,
        type: 'string',
      })),
    encode: (value, field) =>
      readParts(value, field, parts, example).map(([one, partValue]) => {
        if (typeof partValue === 'object' && partValue !== null) throw misfit(field, value, example);
        return [partKey(field, one), isBlank(partValue) ? '' : String(partValue)];
      }),
  };
}

export const name = composite(NAME_PARTS, '{"first_name": "Ada", "last_name": "Byron"}');
export const address = composite(ADDRESS_PARTS, '{"city": "Leeds", "country": "UK"}');

/** Calendar (date range): each end is a date of its own. */
export const calendar: Codec = {
  example: '{"start": "2025-03-01", "end": "2025-03-31"}',
  columns: (field) =>
    CALENDAR_PARTS.map((one) => ({
      key: partKey(field, one),
      label: `${field.name}: ${one.label}`,
      type: 'dateTime',
    })),
  encode: (value, field, context): Entries =>
    readParts(value, field, CALENDAR_PARTS, calendar.example).flatMap(([one, end]) =>
      date.encode(end, { ...field, slug: partKey(field, one) }, context),
    ),
};
