import type { Table } from '../../records';
import { ApiError, cutName, listErrorTexts, formatFieldErrors, formatForError, tryOr } from '../../service';
import { tableLocator } from '../lists/tablePickers';
import type { Item } from '../operation/item';
import { ItemValues } from './itemValues';

/** The service's messages about a value, and the sentences that replace these messages. */
const REFUSAL_TEXTS: Array<[pattern: RegExp, format: (name: string, value: string) => string]> = [
  [/\bunique\b/i, (name, value) => `Another record already has the ${name}${value}`],
  [/\brequired\b/i, (name) => `${name} is required`],
];

/**
 * Changes "email: This field is unique" to `Another record already has the Email "ada@example.com"` (spec:
 * Errors, `errors`). Returns other errors unchanged.
 * @param remedy what the operation offers for a value that another record has
 * @param known the table, if the caller has read it
 */
export async function explainRefusedValues(
  item: Item,
  error: unknown,
  remedy: string | ((table: Table | undefined) => string),
  known?: Table,
): Promise<unknown> {
  if (!(error instanceof ApiError) || error.status !== 422) return error;
  const { fieldErrors, message, description } = error;
  const given = formatFieldErrors(fieldErrors);
  if (given === '' || !message.endsWith(`(${given})`)) return error;
  const table = known ?? (await item.getTable(item.read(tableLocator)).catch(() => undefined));
  const values = tryOr(() => (table ? new ItemValues(item, table).values : {}), {});
  const texts = Object.values(fieldErrors).flatMap(listErrorTexts);
  const taken = texts.filter((text) => /\bunique\b/i.test(text));
  const sentences = Object.entries(fieldErrors).flatMap(([slug, said]) => {
    const field = table?.findField(slug);
    const name = cutName(field?.name ?? slug);
    const value = slug in values ? ` ${formatForError(values[slug])}` : '';
    return listErrorTexts(said).map(
      (text) => REFUSAL_TEXTS.find(([pattern]) => pattern.test(text))?.[1](name, value) ?? `${name}: ${text}`,
    );
  });
  const offer = typeof remedy === 'string' ? remedy : remedy(table);
  const hasRemedy = taken.length > 0 && offer !== '';
  // If other records hold all refused values, the user needs only the remedy.
  const general = hasRemedy && taken.length === texts.length ? 'The record was not saved.' : description;
  return error.copyWith({
    message: sentences.join('; '),
    description: hasRemedy ? `${offer} ${general}` : general,
  });
}
