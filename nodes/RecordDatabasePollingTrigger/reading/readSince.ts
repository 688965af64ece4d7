import { orderBy } from 'lodash';
import { type Field, getKind } from '../../shared/model/fields';
import type { FilterItem } from '../../shared/model/filter';
import { InputError } from '../../shared/model/input/inputError';
import type { RecordValues } from '../../shared/model/records/recordValues';
import { MAX_PAGE_SIZE } from '../../shared/transport/paging/pagingOptions';
import { readVerifiedList } from '../../shared/transport/paging/readVerifiedList';
import { addSeconds, findLatestLocalTime } from '../changes/dateText';
import type { RecordPage, RecordPageQuery, RecordSource } from './recordSource';

/** Maximum number of records in a snapshot, and in a table if the service ignores the date filter. */
export const MAX_RECORDS = 5_000;

/** A record with its date, '' for a record without one. */
export interface DatedRecord {
  id: string;
  date: string;
  values: RecordValues;
}

/** Reads pages of dated records. Tests pass a source that needs no service. */
export interface DatedSource {
  fetchPage(query: RecordPageQuery): Promise<Pick<RecordPage, 'items' | 'total'>>;
  client: { concurrency: number };
}

export interface SinceOptions {
  field: Field;
  /** Records with later dates are read; '' for all with a date. */
  floor: string;
  /** The reading ends when it has this many records, and the next poll continues. */
  maxRecords: number;
}

export interface DatedReading {
  records: DatedRecord[];
  /** The date from which the next poll continues; undefined if all records were read. */
  resume?: string;
}

const readDate = (record: RecordValues, field: Field): string => {
  const date = getKind(field).read(record[field.slug], field);
  return typeof date === 'string' ? date : '';
};

const toDatedRecord = (field: Field) => (record: { id: string }) => ({
  id: record.id,
  date: readDate(record, field),
  values: record as RecordValues,
});

const createConditions = ({ slug }: Field, after: string, upTo?: string): FilterItem[] => [
  after === ''
    ? { field_id: slug, operator: 'is not blank' }
    : { field_id: slug, operator: 'is after', val: after },
  ...(upTo === undefined ? [] : [{ field_id: slug, operator: 'is on or before', val: upTo }]),
];

/** Reads a list completely. @throws InputError if it has more than `maxRecords` records */
async function readWhole(
  source: DatedSource,
  field: Field,
  conditions: FilterItem[],
  maxRecords = MAX_RECORDS,
): Promise<DatedRecord[]> {
  const found = await readVerifiedList({
    fetchPage: async (page, limit) => {
      const { items, total } = await source.fetchPage({ page, limit, conditions });
      if ((total ?? items.length) <= maxRecords) return { items, total };
      throw new InputError(
        `The service ignores the filter or the order by "${field.name}", and ${total} records match`,
        `By a Date Field then works with up to ${maxRecords} records. Choose another date field, or a filter that matches fewer records.`,
      );
    },
    limit: Infinity,
    concurrency: source.client.concurrency,
    getId: ({ id }) => id,
  });
  return found.map(toDatedRecord(field));
}

const isSorted = (records: DatedRecord[]): boolean =>
  records.every(({ date }, index) => index === 0 || (records[index - 1]?.date ?? '') <= date);

/**
 * Reads the records with a date above the floor, in the order of their dates. Each request continues at the last date
 * of the one before instead of a page number, so that a record which changes meanwhile moves no other record to a page
 * that was read already. The service may ignore a filter or an order that it does not know; then all records are read.
 * @throws InputError if that would be more than `MAX_RECORDS` records
 */
export async function readSince(
  source: DatedSource,
  { field, floor, maxRecords }: SinceOptions,
): Promise<DatedReading> {
  const found = new Map<string, DatedRecord>();
  const add = (records: DatedRecord[]) => {
    for (const record of records) found.set(record.id, record);
  };
  const sort = { sort: field.slug, by: 'asc' as const };
  for (let after = floor; ;) {
    const conditions = createConditions(field, after);
    const { items, total } = await source.fetchPage({ page: 1, limit: MAX_PAGE_SIZE, conditions, sort });
    const records = items.map(toDatedRecord(field));
    const isEnd = total === undefined ? items.length < MAX_PAGE_SIZE : items.length >= total;
    add(records);
    if (isEnd) return { records: [...found.values()] };
    const isFiltered = records.every(({ date }) => date !== '' && date > after);
    if (!isFiltered || !isSorted(records)) {
      add(await readWhole(source, field, isFiltered ? conditions : []));
      return { records: [...found.values()] };
    }

    const last = records.at(-1)?.date ?? after;
    // The next page, and the next poll, repeat the last second, because further records may have the same date.
    const previous = addSeconds(last, -1);
    // A poll that has not passed its first second reads on, because the next poll would read the same records again.
    if (found.size >= maxRecords && previous > floor) return { records: [...found.values()], resume: last };
    if (previous > after) after = previous;
    else {
      add(await readWhole(source, field, createConditions(field, after, last), Infinity));
      after = last;
    }
  }
}

/** Finds the newest date that is not in the future; '' if there is none. */
export async function findNewestDate(source: DatedSource, field: Field, now: number): Promise<string> {
  const latest = findLatestLocalTime(now);
  const conditions = createConditions(field, '', latest);
  const sort = { sort: field.slug, by: 'desc' as const };
  const { items, total } = await source.fetchPage({ page: 1, limit: MAX_PAGE_SIZE, conditions, sort });
  const page = items.map(toDatedRecord(field));
  const isTrusted = (total ?? Infinity) <= items.length || isSorted([...page].reverse());
  const records = isTrusted ? page : await readWhole(source, field, conditions);
  return records
    .map(({ date }) => date)
    .filter((date) => date <= latest)
    .reduce((newest, date) => (date > newest ? date : newest), '');
}

/** The newest records by date, newest first. */
export async function readNewest(source: RecordSource, field: Field, limit: number): Promise<RecordValues[]> {
  const sort = { sort: field.slug, by: 'desc' as const };
  const { items } = await source.fetchPage({ page: 1, limit, sort });
  return orderBy(items.map(toDatedRecord(field)), 'date', 'desc').map(({ values }) => values);
}
