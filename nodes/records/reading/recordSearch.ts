/**
 * The label of a record in a list, and the search by words. `formatRecordLabel` formats the label. `buildWordFilter`
 * builds the filter of a search. `matchesWords` compares a record with the words.
 */
import { joinParts } from '../fields/composite';
import type { Field } from '../fields/field';
import { getKind } from '../fields/kinds';
import { readValue } from '../fields/recordValues';
import type { Table } from '../fields/table';
import type { Condition, FilterTree } from '../filter/tree';

/** Formats a record as `Ada Byron (Example Ltd, ada@example.com)`. Without a value, the label is the ID. */
export function formatRecordLabel(record: Record<string, unknown>, table: Table): string {
  const [first, ...others] = readTexts(record, table).map((text) =>
    text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH - 1)}…` : text,
  );
  if (first === undefined) return String(record.id);
  return others.length > 0 ? `${first} (${others.join(', ')})` : first;
}

/** The largest number of fields in the label of a record. */
const LABEL_FIELD_COUNT = 3;

/** The largest number of characters that a label shows of one value. */
const MAX_VALUE_LENGTH = 60;

const isShortText = (field: Field) =>
  getKind(field).labelRole === 'text' && !/long|rich|multi.?line/i.test(field.type);

const isShortValue = (field: Field) => getKind(field).labelRole === 'fallback';

/** Finds the fields that distinguish records for a reader: the first short texts, otherwise numbers and dates. */
export function findLabelFields({ fields }: Table): Field[] {
  const texts = fields.filter(isShortText);
  return (texts.length > 0 ? texts : fields.filter(isShortValue)).slice(0, LABEL_FIELD_COUNT);
}

function readTexts(record: Record<string, unknown>, table: Table): string[] {
  return findLabelFields(table)
    .map((field) => joinParts(readValue(record, { table, field }), getKind(field).parts ?? []).trim())
    .filter(Boolean);
}

export const splitWords = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/** Whether the texts of a record contain each word, in lower case, or the only word is its ID. */
export function matchesWords(record: Record<string, unknown>, table: Table, words: string[]): boolean {
  if (words.length === 1 && String(record.id).toLowerCase() === words[0]) return true;
  const text = readTexts(record, table).join('\n').toLowerCase();
  return words.every((word) => text.includes(word));
}

/**
 * Lists the names by which the service can filter the text of a field. A composite is filtered by its parts (spec:
 * Filters).
 */
function listFilterNames(field: Field, table: Table): string[] {
  const { parts, operators } = getKind(field);
  if (!operators.some(({ name }) => name === 'contains')) return [];
  if (!parts) return [field.slug];
  return parts
    .map((part) => part.formatFilterId(field.slug))
    .filter((id): id is string => id !== undefined && id !== field.slug && !table.hasSlug(id));
}

/**
 * Builds the filter for records that contain each word in one of their label fields. Undefined if the service
 * cannot search these fields, or without a word.
 */
export function buildWordFilter(table: Table, words: string[]): FilterTree | undefined {
  const names = findLabelFields(table).flatMap((field) => listFilterNames(field, table));
  if (names.length === 0 || words.length === 0) return undefined;
  const createConditions = (value: string): Condition[] =>
    names.map((field) => ({ field, operator: 'contains', value }));
  return {
    match: 'all',
    conditions: [],
    groups: words.map((word) => ({ match: 'any', conditions: createConditions(word), groups: [] })),
  };
}
