import { ListReader } from './listReader';
import { fetchFirstPage, type PagingOptions, truncate } from './pagingOptions';

/**
 * Reads page 1 and then the other pages in parallel, each once. Returns records in order and without repeats.
 * A record may be missing if others were added or removed meanwhile. `onChange` is called if a change was
 * noticed; not every change can be noticed.
 */
export async function readList<T>(options: PagingOptions<T>): Promise<T[]> {
  const { limit, onChange } = options;
  if (limit <= 0) return [];
  const reader = new ListReader(options);
  await reader.read(await fetchFirstPage(options));
  if (reader.hasChanged) onChange?.();
  return truncate(reader.items, limit);
}
