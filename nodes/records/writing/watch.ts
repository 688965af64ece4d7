/**
 * An update sends the fields that change. Public clients met services that keep the other fields (evidence 13), and the
 * spec can be read in another way: "Value when a field is omitted from a create or update payload" (Record). With Only
 * Changed Fields, Watched, an update is therefore watched while its record has a filled field of a kind that was not
 * seen kept yet: the record is read after the write. If the service emptied a kind, all old values are written back,
 * and no further update of the application is sent. `runWatched` runs them one after the other. `judgeUpdate` compares
 * the record after the update, and writes lost values back.
 */
import { groupBy, uniq } from 'lodash';
import {
  ApiError,
  type Client,
  ClientError,
  formatForError,
  InputError,
  joinFirst,
  memory,
  type ServiceRecord,
} from '../../service';
import type { Field, PayloadEntries } from '../fields/field';
import { getKind } from '../fields/kinds';
import { encodeValue, getShownValue } from '../fields/recordValues';
import type { Table } from '../fields/table';
import {
  SEND_CHANGED_REMEDY,
  UNKNOWN_KINDS,
  encodeAsRead,
  isFilled,
  listUnsentFields,
  mustBeSent,
  showsChange,
} from './currentValues';

/** Runs an update that may have to be watched when no other one is. `waited`: another one was watched before. */
export function runWatched<T>(
  client: Client,
  route: UpdateRoute,
  task: (waited: boolean) => Promise<T>,
): Promise<T> {
  let waits = false;
  const result = watches.run(client, [route], () => task(waits));
  waits = true;
  return result;
}

/** Updates of records and updates through a component learn separately what the service keeps. */
export type UpdateRoute = 'record' | 'component';

const keptKinds = memory.store<Set<string>, 'app'>('keptKinds', {
  per: 'app',
  holds: 'the kinds of fields that an update kept without naming them',
  max: 1_000,
});

const emptyingUpdates = memory.store<string, 'app'>('emptyingUpdates', {
  per: 'app',
  holds: 'what an update emptied without naming it: further updates are refused',
  max: 1_000,
});

const watches = memory.queue('watches', {
  per: 'app',
  holds: 'updates that are watched: the others wait for what the first one shows',
});

const WAYS_OUT =
  'Choose All Fields under An Update Sends, in the credential: an update then sends the values of the record too. If a rule of the table empties these fields, choose Only Changed Fields.';

/** @throws InputError if an update of the application emptied fields, as long as the credential says Watched */
export function ensureUpdatesAllowed(client: Client): void {
  const found = isWatching(client) && emptyingUpdates.get(client, []);
  if (!found) return;
  throw new InputError(
    'The service empties the fields that an update does not name, so no update is sent',
    `Nothing was sent. ${found} ${WAYS_OUT}`,
  );
}

/**
 * For an update of a record whose table is not known: it cannot be read, so nothing can be compared, watched or sent along.
 * @throws InputError unless the credential says that the service keeps what an update does not name
 */
export function ensureUnreadUpdateAllowed({ credential }: Client, what: string): void {
  if (credential.updateSends === 'changed') return;
  throw new InputError(
    `${what}, so the record cannot be read before it is updated`,
    `Nothing was sent, because an update might empty the fields that it does not name. ${SEND_CHANGED_REMEDY}`,
  );
}

const isWatching = ({ credential }: Client): boolean => credential.updateSends === 'watched';

/** A change of one record that is sent, or was. */
interface SentChange {
  table: Table;
  recordId: string;
  /** The record as it was read before. */
  before: ServiceRecord;
  /** The values that are sent. */
  sent: PayloadEntries;
  /** IANA name of the zone of dates. */
  timeZone: string;
}

/** Several types share the kind of those that are not known. */
const nameKind = ({ kind, type }: Field): string => (UNKNOWN_KINDS.has(kind) ? type : kind);

const getKept = (client: Client, route: UpdateRoute): Set<string> =>
  keptKinds.getOrCreate(client, [route], () => new Set());

/** Lists the fields that a watch of a change looks at. Without any, it needs no watch. */
export function listWatchedFields(client: Client, route: UpdateRoute, change: SentChange): Field[] {
  if (!isWatching(client)) return [];
  const { table, before, sent } = change;
  const kept = getKept(client, route);
  return listUnsentFields(table, sent).filter(
    (field) => !kept.has(nameKind(field)) && isFilled(before, { table, field }),
  );
}

/**
 * Compares the fields of a watched update with the record after it. A reading that does not show what was sent settles
 * nothing: it may be older than the write, or somebody else has written meanwhile.
 * @param restore writes values back
 * @throws ApiError if the service emptied fields, with what could not be written back
 */
export async function judgeUpdate(
  client: Client,
  route: UpdateRoute,
  change: SentChange & { fields: Field[]; after: ServiceRecord },
  restore: (entries: PayloadEntries) => Promise<unknown>,
): Promise<void> {
  const { table, sent, after, fields } = change;
  const kinds = Object.entries(groupBy(fields, nameKind)).map(([kind, group]) => {
    const shown = group.filter((field) => getShownValue(after, { table, field }) !== undefined);
    const lost = shown.filter((field) => !isFilled(after, { table, field }));
    return { kind, lost, isKept: lost.length < shown.length };
  });
  const emptied = kinds.flatMap(({ lost, isKept }) => (isKept ? [] : lost));
  const unshown = sent.filter((entry) => !showsChange(table, change, [entry]));
  if (unshown.length > 0) {
    if (emptied.length > 0) throw createUnsettledError(change, emptied);
    hintUnshown(client, change, unshown);
    return;
  }
  for (const { kind, lost } of kinds.filter(({ isKept }) => isKept)) {
    getKept(client, route).add(kind);
    for (const field of lost) hintEmptied(client, change, field);
  }
  if (emptied.length > 0) throw await undoUpdate(client, { ...change, emptied }, restore);
}

/** The error of an update after which fields are empty, and of which it is not known whether it emptied them. */
const createUnsettledError = ({ recordId, before }: SentChange, emptied: Field[]): ApiError =>
  new ApiError({
    message: `Record ${recordId}: ${nameFields(emptied)} ${emptied.length === 1 ? 'is' : 'are'} empty after an update that did not name ${emptied.length === 1 ? 'it' : 'them'}`,
    description: `The record does not show the values that were sent, so it is not known whether the update emptied them, or somebody else. Nothing was written back. ${WHOLE}`,
    details: { recordId, before },
  });

/**
 * Says that the reading shows other values than the change. It is no error: the reading may be older than the write. A field
 * that it does not show may be hidden from the user. The hint names no record, because a rule of the table may change the
 * field of each.
 */
function hintUnshown(
  client: Client,
  { table, after }: SentChange & { after: ServiceRecord },
  unshown: PayloadEntries,
): void {
  const fields = uniq(unshown.map(([key]) => table.resolvePayloadField(key, 'Fields').field)).filter(
    (field) => getShownValue(after, { table, field }) !== undefined,
  );
  if (fields.length === 0) return;
  client.notices.addHint(
    `A record that was read after its update does not show what was sent to ${nameFields(fields)}. A rule of the table may have changed it, or the reading was outdated.`,
  );
}

/** Other fields of the kind were kept, so it was not the service that emptied this one. */
function hintEmptied(client: Client, { table, recordId, before }: SentChange, field: Field): void {
  const value = formatForError(getShownValue(before, { table, field }));
  client.notices.addHint(
    `Record ${recordId}: "${field.name}" is empty after an update that did not name it; it held ${value}. A rule of the table, or somebody else, may have emptied it.`,
  );
}

const nameFields = (fields: Field[]): string => joinFirst(fields.map(({ name }) => `"${name}"`));

/** Writes the old values of a record back, and keeps further updates of the application from being sent. */
async function undoUpdate(
  client: Client,
  change: SentChange & { after: ServiceRecord; emptied: Field[] },
  restore: (entries: PayloadEntries) => Promise<unknown>,
): Promise<ApiError> {
  const { table, recordId, before, emptied } = change;
  const found = `An update of record ${recordId} emptied ${nameFields(emptied)}, which it did not name.`;
  emptyingUpdates.set(client, [], found);
  const { entries, lost } = encodeOldValues(client, change);
  const failure: unknown = await restore(entries).then(
    () => undefined,
    (error: unknown) => error,
  );
  const missing = failure === undefined ? lost : emptied;
  const held = missing.map(
    (field) => `"${field.name}" held ${formatForError(getShownValue(before, { table, field }))}`,
  );
  const reason = failure instanceof ClientError ? ` (${failure.message})` : '';
  const outcome =
    failure === undefined
      ? 'All other old values were written back, also those that the item changes.'
      : `The old values could not be written back${reason}.`;
  const restored = 'Its old values were written back: the record is as before, and the item was not written.';
  return new ApiError({
    message: `Record ${recordId}: the service empties the fields that an update does not name`,
    description: [
      found,
      ...(missing.length === 0 ? [restored] : [outcome, `${held.join('; ')}.`, WHOLE]),
      'No further update of this application is sent.',
      WAYS_OUT,
    ].join(' '),
    details: { recordId, ...(missing.length > 0 && { before }) },
  });
}

const WHOLE = 'The whole record as it was is in the details of this error, under "before".';

/**
 * Encodes all values of a record as they were before an update. `lost` are the fields whose old values cannot be written:
 * files, masks in place of passwords, numbers that are too long.
 */
function encodeOldValues(
  { credential }: Client,
  { table, before, after, sent, emptied, timeZone }: SentChange & { after: ServiceRecord; emptied: Field[] },
): { entries: PayloadEntries; lost: Field[] } {
  const unsent = new Set(listUnsentFields(table, sent));
  const entries: PayloadEntries = [];
  const lost: Field[] = [];
  for (const field of table.writableFields) {
    const ref = { table, field };
    const value = getShownValue(before, ref);
    const isSent = !unsent.has(field);
    // A user may see a part of a list. The list was kept, and the part would replace it.
    const mayBePart = credential.hasUserLogin && field.connection?.many === true;
    if (value === undefined || (mayBePart && !isSent && !emptied.includes(field))) continue;
    if (!mustBeSent(value, field)) {
      if (isSent && !getKind(field).holdsFiles) entries.push(...encodeValue(null, field, { timeZone }));
      continue;
    }
    const old = encodeAsRead(value, field, { timeZone });
    if (old) entries.push(...old);
    else if (isSent || !isFilled(after, ref)) lost.push(field);
  }
  return { entries, lost };
}
