/**
 * Words a refusal of values by the names of the fields. `explainRefusedValues` reads the table, `nameRefusedValues` takes it.
 */
import { type Table } from '../../records';
import { ApiError, cutName, findFieldTexts, formatFieldErrors, formatForError, tryOr } from '../../service';
import { tableLocator } from '../lists/tablePickers';
import type { Item } from '../operation/item';
import { readFormValues } from './formValues';

/** What the service says about a value, and the sentence of a form. `name` is the name of the field. */
const REFUSALS: Array<[said: RegExp, say: (name: string, value: string) => string]> = [
  [/\bunique\b/i, (name, value) => `Another record already has the ${name}${value}`],
  [/\brequired\b/i, (name) => `${name} is required`],
];

/**
 * Words a refusal of values by the names of the fields: "email: This field is unique" becomes `Another record already has
 * the Email "ada@example.com"` (spec: Errors, the messages in `errors`). Any other error is returned unchanged.
 * @param remedy what the operation offers for a value that another record has
 */
export async function explainRefusedValues(
  item: Item,
  error: unknown,
  remedy: string | ((table: Table | undefined) => string),
): Promise<unknown> {
  if (!(error instanceof ApiError) || error.status !== 422) return error;
  const table = await item.getTable(item.read(tableLocator)).catch(() => undefined);
  return nameRefusedValues(item, table, error, typeof remedy === 'string' ? remedy : remedy(table));
}

/** Does the same as `explainRefusedValues` for a table that is known. */
export function nameRefusedValues(
  item: Item,
  table: Table | undefined,
  error: unknown,
  remedy = '',
): unknown {
  if (!(error instanceof ApiError) || error.status !== 422) return error;
  const { fieldErrors, message, description } = error;
  const given = formatFieldErrors(fieldErrors);
  if (given === '' || !message.endsWith(`(${given})`)) return error;
  const values = tryOr(() => readFormValues(item, table), {});
  const texts = Object.values(fieldErrors).flatMap(findFieldTexts);
  const taken = texts.filter((text) => /\bunique\b/i.test(text));
  const sentences = Object.entries(fieldErrors).flatMap(([slug, said]) => {
    const field = table?.findField(slug);
    const name = cutName(field?.name ?? slug);
    const value = slug in values ? ` ${formatForError(values[slug])}` : '';
    return findFieldTexts(said).map(
      (text) => REFUSALS.find(([pattern]) => pattern.test(text))?.[1](name, value) ?? `${name}: ${text}`,
    );
  });
  const hasRemedy = taken.length > 0 && remedy !== '';
  // The remedy says all where every refused value belongs to another record.
  const general =
    hasRemedy && taken.length === texts.length ? 'Nothing of this item was saved.' : description;
  return error.explain({
    message: sentences.join('; '),
    description: hasRemedy ? `${remedy} ${general}` : general,
  });
}
