/** Finds records by words, for a list from which a user picks one. */
import { countBy, truncate } from 'lodash';
import type { Client, ServiceRecord } from '../../service';
import type { Field } from '../fields/field';
import { getKind } from '../fields/kinds';
import { readText } from '../fields/recordValues';
import type { Table } from '../fields/table';
import { buildFilter } from '../filter/buildFilter';
import { type Condition, createTree, type FilterTree, joinFilters } from '../filter/tree';
import { readRecordPage } from './readRecords';
import { getTable } from './tables';

const SEARCH_PAGE_SIZE = 100;

interface RecordSearchPage {
  records: ServiceRecord[];
  hasMore: boolean;
}

/**
 * Reads one page of the records that contain each word of `text`, or of all records if no field can be searched.
 * @throws ApiError for a failed request
 */
export async function readSearchPage(
  client: Client,
  tableId: string,
  text = '',
  page = 1,
): Promise<RecordSearchPage> {
  const table = await getTable(client, tableId);
  const slugs = findLabelFields(table).map(({ slug }) => slug);
  const tree = buildWordFilter(table, splitWords(text));
  const filters = tree && buildFilter(tree, table, { timeZone: 'utc', now: new Date(), hasUserLogin: false });
  const query = { tableId, filters, columns: ['id', ...slugs] };
  const { items, total_items: total } = await readRecordPage(client, query, page, SEARCH_PAGE_SIZE);
  return { records: items, hasMore: page * SEARCH_PAGE_SIZE < total };
}

/**
 * Finds the records that contain each word of a text, or that have the text as their ID.
 * @example
 * const first = await readSearchPage(client, 'T1x9Kq');
 * await findRecordsByWords(client, 'T1x9Kq', first, 'ada'); // { entries: [{ id: 'K7pQ2xW9Lm', label: 'Ada Byron (Example Ltd)' }], hasMore: false }
 * @param first the first page of the table. If it is the only page, nothing is requested
 * @throws ApiError for a failed request
 */
export async function findRecordsByWords(
  client: Client,
  tableId: string,
  first: RecordSearchPage,
  text: string,
  page = 1,
): Promise<{ entries: Array<{ id: string; label: string }>; hasMore: boolean }> {
  const words = splitWords(text);
  const table = await getTable(client, tableId);
  const isRead = !first.hasMore || (words.length === 0 && page === 1);
  const { records, hasMore } = isRead ? first : await readSearchPage(client, tableId, text, page);
  const matching = records.filter((record) => matchesWords(record, table, words));
  const entries = matching.map((record) => ({ id: record.id, label: formatRecordLabel(record, table) }));
  const counts = countBy(entries, 'label');
  return {
    entries: entries.map(({ id, label }) => ({
      id,
      label: counts[label] === 1 ? label : `${label} [${id}]`,
    })),
    hasMore,
  };
}

/** Formats a record as `Ada Byron (Example Ltd, ada@example.com)`. A record without values is labelled by its ID. */
export function formatRecordLabel(record: Record<string, unknown>, table: Table): string {
  const texts = readLabelTexts(record, table);
  const [first, ...others] = texts.map((text) => truncate(text, { length: 60, omission: '…' }));
  if (first === undefined) return String(record.id);
  return others.length > 0 ? `${first} (${others.join(', ')})` : first;
}

const MAX_LABEL_FIELDS = 3;

const isShortTextField = (field: Field) =>
  getKind(field).labelRole === 'text' && !/long|rich|multi.?line/i.test(field.type);

/** Returns the first three fields with short texts. Without such fields, returns numbers and dates. */
function findLabelFields({ fields }: Table): Field[] {
  const texts = fields.filter(isShortTextField);
  const fallback = fields.filter((field) => getKind(field).labelRole === 'fallback');
  return (texts.length > 0 ? texts : fallback).slice(0, MAX_LABEL_FIELDS);
}

function readLabelTexts(record: Record<string, unknown>, table: Table): string[] {
  return findLabelFields(table)
    .map((field) => readText(record, { table, field }).trim())
    .filter(Boolean);
}

const splitWords = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/** The words are in lower case. A single word may be the ID of the record. */
function matchesWords(record: Record<string, unknown>, table: Table, words: string[]): boolean {
  if (words.length === 1 && String(record.id).toLowerCase() === words[0]) return true;
  const text = readLabelTexts(record, table).join('\n').toLowerCase();
  return words.every((word) => text.includes(word));
}

/** For a field with parts, lists its parts, because the service searches each part by its own ID (spec: Filters). */
function listSearchableFieldIds(field: Field): string[] {
  const { parts, operators } = getKind(field);
  if (!operators.some(({ name }) => name === 'contains')) return [];
  if (!parts) return [field.slug];
  return parts.flatMap((part) => part.formatFilterKey(field.slug) ?? []);
}

/** @returns undefined if there are no words, or if the service can search none of the fields */
function buildWordFilter(table: Table, words: string[]): FilterTree | undefined {
  const names = findLabelFields(table).flatMap(listSearchableFieldIds);
  if (names.length === 0 || words.length === 0) return undefined;
  const createConditions = (value: string): Condition[] =>
    names.map((field) => ({ field, operator: 'contains', value }));
  return joinFilters(
    'all',
    words.map((word) => createTree('any', createConditions(word))),
  );
}
