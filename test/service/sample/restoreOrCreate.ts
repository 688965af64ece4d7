import { clone, mapValues } from 'lodash';
import processCache from '../../environment/processCache';
import { createBlankValue } from '../data/field';
import type { StoredRecord, Table } from '../data/table';
import { defaultOptions } from '../options';
import type { Application } from '../state/application';

/** Records by table, and the states of the generators after them. */
interface CreatedRecords {
  records: StoredRecord[][];
  random: number;
  ids: number;
}

/** Composites and lists are copied as well, because tests change stored records in place. */
const copyRecord = (record: StoredRecord): StoredRecord => mapValues(record, copyValue) as StoredRecord;

const copyValue = (value: unknown): unknown => (typeof value === 'object' ? clone(value) : value);

/**
 * Fills the tables with copies of the records that `create` made for an earlier application whose generators were
 * in the same states and whose fields had the same blank values.
 * Creating thousands of records takes most of a service's start, and the tests start a thousand services. Services with
 * a seed of their own are started once or twice, and 3 MB of records for each would stay until the process ends.
 */
export function restoreOrCreate(app: Application, tables: Table[], create: () => void): void {
  const { random, ids, options } = app;
  if (options.seed !== defaultOptions.seed) return create();
  const blanks = tables.map(({ fields }) => fields.map((field) => createBlankValue(field, options)));
  const key = `sample company ${JSON.stringify([options.ids, random.state, ids.count, blanks])}`;
  const created = processCache.get(key) as CreatedRecords | undefined;
  if (created) {
    tables.forEach((table, index) => {
      table.addLater(() => created.records[index]?.map(copyRecord) ?? []);
    });
    random.state = created.random;
    ids.count = created.ids;
    return;
  }
  create();
  const records = tables.map((table) => [...table.records.values()].map(copyRecord));
  processCache.set(key, { records, random: random.state, ids: ids.count } satisfies CreatedRecords);
}
