/**
 * The service names about twenty field types; the package treats them as these kinds. A kind has one
 * codec (how values travel), one family of filter operators, and one column in the mapper.
 */
export type FieldKind =
  | 'text'
  | 'email'
  | 'number'
  | 'checkbox'
  | 'date'
  | 'time'
  | 'dateTime'
  | 'calendar'
  | 'name'
  | 'address'
  | 'choice'
  | 'choices'
  | 'connection'
  | 'user'
  | 'file';

/** First match wins; the type names are the spec's ("Field-type value formats"), spelled loosely. */
const KIND_OF_TYPE: Array<[RegExp, FieldKind]> = [
  [/^decision/, 'checkbox'],
  [/^multi|^checkbox/, 'choices'],
  [/^(select|single select|radio|dropdown)/, 'choice'],
  [/^date ?time/, 'dateTime'],
  [/^(calendar|date range)/, 'calendar'],
  [/^date/, 'date'],
  [/^time/, 'time'],
  [/^connection/, 'connection'],
  [/^(file|image|attachment|upload)/, 'file'],
  [/^(number|currency|decimal|integer|numeric|formula|equation)/, 'number'],
  [/^name/, 'name'],
  [/^address/, 'address'],
  [/^email/, 'email'],
  [/^user/, 'user'],
];

/** Kind of a field type such as `Date-Time`; text for a type the spec does not name. */
export function kindOfType(type: string): FieldKind {
  const plain = type
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ')
    .trim();
  return KIND_OF_TYPE.find(([pattern]) => pattern.test(plain))?.[1] ?? 'text';
}
