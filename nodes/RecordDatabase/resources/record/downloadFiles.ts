import type { IBinaryData, IDataObject } from 'n8n-workflow';
import type { Client } from '../../../client';
import { Semaphore } from '../../../client/concurrency/wait';
import { ApiError } from '../../../client/errors/apiError';
import type { Field } from '../../../client/fields/field';
import { getShownValue } from '../../../client/fields/recordValues';
import type { Table } from '../../../client/fields/table';
import { listFileAddresses, parseFileName } from '../../../client/files/downloadUrl';
import { asThrown } from '../../../client/input/inputError';
import { memory } from '../../../client/memory/memory';
import { storeDownload } from '../../../n8n/files/binaryOutput';
import { tableLocator } from '../../../n8n/lists/tablePickers';
import type { Item } from '../../../n8n/operation/item';
import type { Output, Result, RunMode } from '../../../n8n/operation/operation';
import { createKeyReader, readFileFields } from './columns';

interface RecordFile {
  /** Name of the binary field. */
  name: string;
  field: Field;
  address: string;
}

/**
 * Lists the files of a record with the names of their binary fields: the slug of the column, then `slug_2` and so on.
 * Numbered names that equal the slug of another chosen column are skipped.
 */
export function listRecordFiles(fields: Field[], readField: (field: Field) => unknown): RecordFile[] {
  const taken = new Set(fields.map(({ slug }) => slug));
  const createFurtherName = (slug: string): string => {
    let number = 2;
    while (taken.has(`${slug}_${number}`)) number++;
    taken.add(`${slug}_${number}`);
    return `${slug}_${number}`;
  };
  return fields.flatMap((field) =>
    listFileAddresses(readField(field)).map((address, index) => ({
      name: index === 0 ? field.slug : createFurtherName(field.slug),
      field,
      address,
    })),
  );
}

/** Names the record, the column and the file. The query of the address may contain a signature, so it is left out. */
function nameFile(error: unknown, recordId: string, { field, address }: RecordFile): unknown {
  if (!(error instanceof ApiError)) return error;
  const fileName = parseFileName('', address.replace(/[?#].*$/s, ''));
  return error.withExplanation(
    { message: `Record ${recordId}, "${field.name}", file ${fileName}: ${error.message}` },
    { recordId, field: field.slug },
  );
}

/** The rate limit does not apply to downloads. */
const getDownloadSlots = memory.attached(
  'downloadSlots',
  { to: 'client', holds: 'how many downloads of an execution run at once' },
  (client: Client) => new Semaphore(client.concurrency),
);

/** Downloads the files of the records of one item. After a failure it starts nothing more unless the node continues. */
class FileDownload {
  private isStopped = false;
  private doneCount = 0;

  constructor(
    private readonly item: Item,
    private readonly table: Table,
    private readonly fields: Field[],
    private readonly mode: RunMode,
  ) {}

  async attachFiles(output: Output, record: IDataObject): Promise<Result> {
    const getKey = createKeyReader(this.item, this.table);
    const files = listRecordFiles(this.fields, (field) =>
      getShownValue(record, { table: this.table, field }, getKey(field)),
    );
    const stored: Array<[name: string, data: IBinaryData]> = [];
    for (const file of files) {
      try {
        const data = await this.download(file);
        if (data) stored.push([file.name, data]);
      } catch (error) {
        return { error: nameFile(error, String(record.id), file) };
      }
    }
    return stored.length > 0 ? { ...output, binary: Object.fromEntries(stored) } : output;
  }

  /** Returns the file, or undefined if an earlier failure ends the run. */
  private async download({ address }: RecordFile): Promise<IBinaryData | undefined> {
    const slots = getDownloadSlots(this.item.client);
    return slots.run(async () => {
      if (this.isStopped) return undefined;
      try {
        const data = await storeDownload(this.item, address);
        this.doneCount++;
        this.item.client.notices.reportProgress(() => `${this.doneCount} files downloaded`);
        return data;
      } catch (error) {
        this.isStopped = !this.mode.continuesOnFail;
        throw asThrown(error);
      }
    });
  }
}

/**
 * Adds the files of the chosen columns to the outputs, as binary fields. `records` are the records as the service
 * returned them, in the same order. A record with a file that cannot be downloaded becomes a failure.
 */
export async function attachFiles(
  item: Item,
  records: unknown[],
  outputs: Output[],
  mode: RunMode,
): Promise<Result[]> {
  const fields = await readFileFields(item);
  if (fields.length === 0) return outputs;
  const table = await item.getTable(item.read(tableLocator));
  const download = new FileDownload(item, table, fields, mode);
  return Promise.all(
    outputs.map((output, index) => download.attachFiles(output, records[index] as IDataObject)),
  );
}
