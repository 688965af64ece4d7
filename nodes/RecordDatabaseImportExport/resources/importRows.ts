import { memoize } from 'lodash';
import { ItemValues } from '../../n8n/columns/itemValues';
import { type Item, type Items, iterateWithPauses } from '../../n8n/operation/item';
import type { Failure } from '../../n8n/operation/operation';
import { type Field, formatImportCell, toRefField, type PayloadEntries, type Table } from '../../records';
import { asThrown, formatForError, InputError } from '../../service';

type CsvCells = Map<string, string>;

export interface ImportRow {
  index: number;
  cells: CsvCells;
  /** Creates missing connected records, and returns the cells with their IDs. */
  complete?: () => Promise<CsvCells>;
}

export interface RowNotation {
  headings: 'slugs' | 'names';
  choices: 'values' | 'labels';
  listSeparator: string;
}

/** @throws InputError if all cells are empty: the item would become a blank record */
function ensureRowHasValue(cells: CsvCells): CsvCells {
  if ([...cells.values()].some((text) => text !== '')) return cells;
  throw new InputError(
    'The item has no value to import',
    'It would become a blank record. Remove it from the input, or give it the values of at least one field.',
  );
}

const FILES_REMEDY =
  'A CSV file holds no files. Leave the field out, and add the files with Update afterwards.';

interface CsvColumn {
  heading: string;
  field: Field;
  /** Converts a value of a Create request to the value of its cell. */
  format: (value: PayloadEntries[number][1]) => unknown;
}

/** Finds columns by keys of a Create request. A part of a field always has its key as heading: `name[first_name]`. */
function createColumnFinder(table: Table, { headings }: RowNotation): (key: string) => CsvColumn {
  const keys = new Map<string, string>();
  return memoize((key: string) => {
    const ref = table.requireWritableRef(key, 'Fields');
    const heading = headings === 'slugs' || ref.part ? key : ref.field.name;
    const other = keys.get(heading) ?? key;
    keys.set(heading, key);
    if (other === key)
      return { heading, field: toRefField(ref), format: (value) => formatImportCell(ref, value) };
    throw new InputError(
      `Headings: several fields are named "${heading}"`,
      'Nothing was uploaded. Choose Slugs under "Headings", or give the fields different names in the service.',
    );
  });
}

const findChoiceLabel = (text: string, { options }: Field): string =>
  options.find(({ value }) => value === text)?.label ?? text;

/** @throws InputError for an entry that contains the separator */
function formatListCell(column: string, texts: string[], { listSeparator }: RowNotation): string {
  const broken = texts.find((text) => text.includes(listSeparator));
  if (broken === undefined) return texts.join(listSeparator);
  throw new InputError(
    `"${column}": the entry ${formatForError(broken)} contains the list separator "${listSeparator}"`,
    'The item was not uploaded. Choose another "List Separator" in the options.',
  );
}

/** @param notation whether a choice is written as a value (`lead`) or as a label (`Lead`) */
function convertEntriesToCells(
  entries: PayloadEntries,
  notation: RowNotation,
  findColumn: (key: string) => CsvColumn,
): CsvCells {
  const cells = entries.map(([key, value]): [string, string] => {
    const { heading, field, format } = findColumn(key);
    const cell = format(value);
    const texts = (Array.isArray(cell) ? cell : [cell ?? '']).map(String);
    const shown = notation.choices === 'labels' ? texts.map((text) => findChoiceLabel(text, field)) : texts;
    return [heading, Array.isArray(cell) ? formatListCell(heading, shown, notation) : shown.join()];
  });
  return ensureRowHasValue(new Map(cells));
}

/** @throws InputError for a value that Create also refuses */
async function createImportRow(
  item: Item,
  table: Table,
  convert: (entries: PayloadEntries) => CsvCells,
): Promise<ImportRow> {
  const values = new ItemValues(item, table, { filesRemedy: FILES_REMEDY });
  const { preview, missing, complete } = await values.prepareEntries();
  values.addLostInputHints([]);
  return {
    index: item.index,
    cells: convert(preview),
    ...(missing && { complete: async () => convert(await complete()) }),
  };
}

/**
 * Checks all items before anything is uploaded: the service shows how many rows it refused, but not which.
 * @throws ApiError after the run was cancelled, or when connected records could not be looked up
 */
export async function readImportRows(
  items: Items,
  table: Table,
  notation: RowNotation,
): Promise<{ rows: ImportRow[]; failures: Failure[] }> {
  const findColumn = createColumnFinder(table, notation);
  const convert = (entries: PayloadEntries) => convertEntriesToCells(entries, notation, findColumn);
  const rows: ImportRow[] = [];
  const failures: Failure[] = [];
  for await (const item of iterateWithPauses(items)) {
    try {
      rows.push(await createImportRow(item, table, convert));
    } catch (error) {
      if (!(error instanceof InputError)) throw asThrown(error);
      failures.push({ error, itemIndexes: [item.index] });
    }
  }
  return { rows, failures };
}
