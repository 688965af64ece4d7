import type { Endpoint } from '../../model/endpoints/endpoint';
import { type Field, getKind, type PayloadEntries } from '../../model/fields';
import { asThrown } from '../../model/input/asThrown';
import { InputError } from '../../model/input/inputError';
import { asObject, isObject } from '../../model/input/isObject';
import { getShownValue } from '../../model/records/recordValues';
import type { Table } from '../../model/records/table';
import type { ServiceRecord } from '../../model/responses/records';
import type { ApiResponse } from '../../transport/call';
import { ApiError } from '../../transport/errors/apiError';
import type { Item } from '../operation/item';
import { encodeUnsentValues, isFieldEmpty, KEEPS_REMEDY, listUnsentFields } from './currentValues';
import { findProbe, type Probe } from './probeField';
import { readRecord } from './readRecord';

export interface RecordUpdate {
  item: Item;
  /** The endpoint that `send` calls. Endpoints may differ in what they do with unsent fields. */
  endpoint: Endpoint;
  table: Table;
  recordId: string;
  entries: PayloadEntries;
  /** The record, if it was read already. */
  before?: ServiceRecord;
  send: (entries: PayloadEntries) => Promise<ApiResponse>;
}

/**
 * The record before the update, and its complete new values: those of the item, and the old ones of all other fields.
 */
export interface WholeUpdate {
  before: ServiceRecord;
  whole: PayloadEntries;
  probe?: Probe;
}

/** @throws InputError if the user may not see all values of a field, which can then neither be sent nor left out */
function ensureVisible({ item, table, entries }: RecordUpdate, before?: ServiceRecord): void {
  if (!item.client.credential.userLogin) return;
  const isHidden = (field: Field) =>
    field.connection?.many === true || (before && getShownValue(before, { table, field }) === undefined);
  const hidden = listUnsentFields(table, entries).find(isHidden);
  if (!hidden) return;
  throw new InputError(
    `"${hidden.name}" may hold values that this user cannot see`,
    `Nothing was sent, because the update might empty them. ${KEEPS_REMEDY} Or add the column with its whole value.`,
  );
}

/**
 * Reads the record. For a key without `allow_get`, the error names the setting with which an update does not read the
 * record.
 */
async function readBefore({ item, table, recordId }: RecordUpdate): Promise<ServiceRecord> {
  try {
    return await readRecord(item, table.id, recordId);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 403) throw asThrown(error);
    throw error.withExplanation({
      description: `An update reads the record first, because the service might empty the columns that it does not name. ${KEEPS_REMEDY} ${error.explanation.description}`,
    });
  }
}

/**
 * Reads the record and finds the field for the detection.
 * @throws InputError if a value can neither be sent nor left out
 */
export async function planWholeUpdate(update: RecordUpdate): Promise<WholeUpdate> {
  const { item, table, entries } = update;
  ensureVisible(update);
  const before = update.before ?? (await readBefore(update));
  ensureVisible(update, before);
  const unsent = encodeUnsentValues(table, before, entries, { timeZone: item.timeZone });
  // An empty value may hide the record from a logged-in user, who then could not restore the value.
  const probe = findProbe(table, before, entries, !item.client.credential.userLogin);
  return { before, whole: [...unsent, ...entries], probe };
}

/**
 * Explains that a refused value does not come from the item. Other values are sent too, because they might be lost
 * otherwise.
 */
function explainRefusal(error: unknown, { table, entries }: RecordUpdate): unknown {
  if (!(error instanceof ApiError) || error.status !== 422) return error;
  const given = new Set(entries.map(([key]) => table.resolvePayloadField(key, 'Columns').field.slug));
  const refused = Object.keys(error.fieldErrors).filter((slug) => !given.has(slug));
  if (refused.length === 0) return error;
  return error.withExplanation({
    description: `The item does not change ${refused.join(', ')}, but an update might empty columns that it does not name, so the record's own values are sent along. Correct them in the record. ${KEEPS_REMEDY} ${error.explanation.description}`,
  });
}

/** Adds a hint if the service emptied a File column, because files cannot be sent back. */
async function reportLostFiles(
  update: RecordUpdate,
  before: ServiceRecord,
  response: unknown,
): Promise<void> {
  const { item, table, recordId, entries } = update;
  const files = listUnsentFields(table, entries).filter(
    (field) => getKind(field).holdsFiles && !isFieldEmpty(before, { table, field }),
  );
  if (files.length === 0) return;
  const { item: shown } = asObject(response);
  const isWhole = isObject(shown) && files.every(({ slug }) => Object.hasOwn(shown, slug));
  const after = isWhole
    ? { ...shown, id: recordId }
    : await readRecord(item, table.id, recordId).catch(() => undefined);
  const names = (fields: Field[]) => fields.map(({ name }) => `"${name}"`).join(', ');
  if (!after) {
    item.client.notices.addHint(
      `Record ${recordId}: whether ${names(files)} still has its file was not checked, because the record could not be read.`,
    );
    return;
  }
  const lost = files.filter((field) => isFieldEmpty(after, { table, field }));
  if (lost.length === 0) return;
  item.client.notices.addHint(
    `Record ${recordId}: the service emptied ${names(lost)}, because it empties columns that an update does not name and a file cannot be sent back. Add the column with its file to every update.`,
  );
}

/** Sends all values of the record. */
export async function sendWhole(update: RecordUpdate, { before, whole }: WholeUpdate): Promise<ApiResponse> {
  try {
    const response = await update.send(whole);
    await reportLostFiles(update, before, response.body);
    return response;
  } catch (error) {
    throw explainRefusal(error, update);
  }
}
