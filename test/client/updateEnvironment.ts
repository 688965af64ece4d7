import { encodeRecordValues, getTable, updateRecord } from '../../nodes/records';
import type { RecordedRequest, StoredRecord } from '../service';
import { ClientEnvironment } from './support';

/** For tests of updates: a table with several fields of most types, filled records, and applications that are new. */

const TEXTS = ['Title', 'Note', 'Code'];
const MORE = [
  'Text',
  'Number',
  'Date',
  'Date-Time',
  'Time',
  'Select',
  'Multi-select',
  'Decision Box',
] as const;

/** The values of a record in which each kind has one or two filled fields. */
export const FILLED = {
  title: 'Lamp',
  note: 'old',
  code: 'C-1',
  number_1: 5,
  number_2: 7,
  date_1: '2031-03-02',
  date_2: '2031-03-03',
  time_1: '09:30:00',
  date_time_1: '2031-03-02 09:30:00',
  select_1: 'a',
  select_2: 'b',
  multi_select_1: ['a', 'b'],
  decision_box_1: 1,
  person: { title: '', first_name: 'Ada', middle_name: '', last_name: 'King' },
};

export class UpdateEnvironment extends ClientEnvironment {
  private count = 0;
  private spelling = 0;

  /** Settings of an application that the process does not know: it remembers what it learns by address. */
  createApplication = (settings: object = {}): object => ({
    ...settings,
    baseUrl: this.service.baseUrl.replace(/\d+$/, (port) => '0'.repeat(++this.spelling) + port),
  });

  addTable(more: object = {}) {
    const options = ['a: A', 'b: B', 'c: C'];
    const fields = [
      ...TEXTS.map((name) => ({ name, type: 'Text' as const })),
      ...MORE.slice(1).flatMap((type) =>
        [1, 2].map((n) => ({ name: `${type} ${n}`, type, ...(/elect/.test(type) && { options }) })),
      ),
      { name: 'Person', type: 'Name' as const },
      { name: 'Doc', type: 'File' as const },
    ];
    return this.service.addTable({ name: `Updated ${++this.count}`, fields, ...more });
  }

  /** Opens a table with a filled record, as a client of an application that the process does not know. */
  async open(values: object = FILLED, settings: object = this.createApplication(), table = this.addTable()) {
    const { id } = table.insert({ ...values });
    const client = this.createClient(settings);
    const fields = await getTable(client, table.id);
    const encode = (given: object) => encodeRecordValues({ ...given }, fields, { timeZone: 'UTC' });
    const update = (given: object, more: Partial<Parameters<typeof updateRecord>[1]> = {}, recordId = id) =>
      updateRecord(client, { table: fields, recordId, entries: encode(given), timeZone: 'UTC', ...more });
    const read = (recordId = id): StoredRecord => structuredClone(table.records.get(recordId)!);
    return { table, fields, id, client, encode, update, read };
  }

  /** The requests of `run` for records, as `GET` and `POST`, with `GET page` for a list. */
  methods = async (run: () => Promise<unknown>): Promise<string[]> =>
    (await this.record(run)).filter(isForRecords).map(({ method, path }) => {
      const isList = method === 'GET' && path.endsWith('/records');
      return isList ? 'GET page' : method;
    });
}

export const isForRecords = ({ path }: RecordedRequest): boolean => /\/records(\/|$)|\/save$/.test(path);
