import type { Table } from '../../records';
import { ApiError, cutName, listErrorTexts, formatFieldErrors, formatForError, tryOr } from '../../service';
import { tableLocator } from '../lists/tablePickers';
import type { Item } from '../operation/item';
import { ItemValues } from './itemValues';

/** Whether the service's message says that another record has the value. */
const isAboutUniqueness = (text: string): boolean => /\bunique\b/i.test(text);

/**
 * Changes "email: This field is unique" to `Another record already has the Email "ada@example.com"` (spec:
 * Errors, `errors`). Returns other errors unchanged.
 * @param createRemedy returns what the operation offers for a value that another record has
 */
export async function explainRefusedValues(
  item: Item,
  error: unknown,
  createRemedy: (table: Table, error: ApiError) => string,
): Promise<unknown> {
  if (!(error instanceof ApiError) || error.status !== 422) return error;
  const { fieldErrors, message, description } = error;
  if (!message.endsWith(`(${formatFieldErrors(fieldErrors)})`)) return error;
  const table = await item.getTable(item.read(tableLocator)).catch(() => undefined);
  const values = tryOr(() => (table ? new ItemValues(item, table).values : {}), {});
  const texts = Object.values(fieldErrors).flatMap(listErrorTexts);
  const sentences = Object.entries(fieldErrors).flatMap(([slug, said]) => {
    const name = cutName(table?.findField(slug)?.name ?? slug);
    const value = slug in values ? ` ${formatForError(values[slug])}` : '';
    return listErrorTexts(said).map((text) => {
      if (isAboutUniqueness(text)) return `Another record already has the ${name}${value}`;
      return /\brequired\b/i.test(text) ? `${name} is required` : `${name}: ${text}`;
    });
  });
  const remedy = table && texts.some(isAboutUniqueness) ? createRemedy(table, error) : '';
  // If other records hold all refused values, the user needs only the remedy.
  const isWhole = remedy !== '' && texts.every(isAboutUniqueness);
  return error.copyWith({
    message: sentences.join('; '),
    description: `${remedy} ${isWhole ? 'The record was not saved.' : description}`.trim(),
  });
}
