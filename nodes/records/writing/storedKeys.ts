/**
 * Compares created records with the keys by which they were not found before. A service may store a text in another
 * form: without outer blanks, or an e-mail address in lower case. The next run would not find such a record either, and
 * would create it again.
 */
import { ApiError, type Client, isNotFoundByService, mapMany, type ServiceRecord } from '../../service';
import type { Table } from '../fields/table';
import { type MatchKey, describeKey, findByKeys, hasOtherKey } from '../reading/findByValues';
import { readRecord } from '../reading/readRecords';

/** A record that was created for a key. */
export interface CreatedKey {
  table: Table;
  key: MatchKey;
  id: string;
  /** The record, if the answer to the create shows it. */
  shown?: ServiceRecord;
}

/** The service has stored a key in another form. */
export class StoredKeyError extends ApiError {
  constructor({ key, id }: CreatedKey, stored: ServiceRecord) {
    super({
      message: `Record ${id} was created for ${key.text}, and the service stored ${describeKey(stored, key)}`,
      description:
        'A repeated run would not find it, and would create it again, so no further record is created. Give the values in the form in which the service stores them.',
      details: { recordId: id },
    });
    this.name = 'StoredKeyError';
  }

  /** The error of the records that are not created after it. */
  forOthers(): ApiError {
    return new ApiError({
      message: 'Not created: the service stores keys in another form than they are sent',
      description: `${this.message}. ${this.description}`,
      attempts: 0,
    });
  }
}

const CHECK_FAILED_HINT =
  'Whether the service stored the keys of all new records as they were sent could not be checked, because a reading failed.';

/**
 * Created records of a run that are compared with their keys in any case. Of the others, those are compared that one request
 * for 50 keys can look up.
 */
export const CHECKED_CREATES = 5;

/**
 * Compares created records of one table with their keys. Those that the answers do not show are looked up, 50 with one
 * request, and read if they are not found. A record that this user may not see is not compared.
 * @returns the errors of those that differ, in the order of the records
 */
export async function findOtherKeys(
  client: Client,
  created: CreatedKey[],
): Promise<Array<StoredKeyError | undefined>> {
  const hidden = created.filter(({ shown }) => !shown);
  const [first] = hidden;
  const keys = hidden.map(({ key }) => key);
  // One record is read at once: it needs one request too, and shows the stored value.
  const answers =
    first && hidden.length > 1
      ? await findByKeys(client, first.table, keys).catch(() => undefined)
      : undefined;
  const isFound = ({ key, id }: CreatedKey) =>
    answers?.get(key.text)?.records.some((record) => record.id === id) === true;
  const read = ({ table, id }: CreatedKey) =>
    readRecord(client, table.id, id, { table }).catch((error: unknown) => {
      if (!isNotFoundByService(error)) client.notices.addHint(CHECK_FAILED_HINT);
      return undefined;
    });
  return mapMany(created, client.concurrency, async (one) => {
    const record = one.shown ?? (isFound(one) ? undefined : await read(one));
    return record && hasOtherKey(record, one.key) ? new StoredKeyError(one, record) : undefined;
  });
}
