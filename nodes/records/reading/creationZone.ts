/**
 * The zone in which the service writes `created_at`, which no answer names (evidence 12). A record that this process
 * has just created shows it: its date differs from the present by the offset of the zone. Nothing is set: a hint names
 * the zones.
 */
import { DateTime, IANAZone } from 'luxon';
import { type Client, isObject, memory, type ServiceRecord } from '../../service';
import { DATE_TIME_FORMAT } from '../fields/dateTimeText';

/** Milliseconds after its creation in which a record shows the zone, and by which both clocks may differ. */
const FRESH_MS = 60_000;

/** All zones differ from UTC by a multiple of it. */
const STEP_MINUTES = 15;

/** Offsets of zones, in minutes. */
const [MIN_OFFSET, MAX_OFFSET] = [-12 * 60, 14 * 60];

/** Number of records of an application that are known as new. */
const MAX_FRESH = 1_000;

/** When records were created, in milliseconds of Unix time, by table and ID. The first one is the oldest. */
const freshRecords = memory.store<Map<string, number>, 'app'>('freshRecords', {
  per: 'app',
  holds: 'the records created in the last minute, whose dates show the zone of the service',
  max: 50,
});

/** Zones that people know, from west to east. One of each offset is enough for a hint, two if they change their clocks differently. */
const KNOWN_ZONES = [
  'Pacific/Honolulu',
  'America/Anchorage',
  'America/Los_Angeles',
  'America/Phoenix',
  'America/Denver',
  'America/Chicago',
  'America/New_York',
  'America/Halifax',
  'America/Sao_Paulo',
  'UTC',
  'Europe/London',
  'Europe/Berlin',
  'Europe/Athens',
  'Africa/Johannesburg',
  'Europe/Moscow',
  'Asia/Dubai',
  'Asia/Karachi',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Asia/Dhaka',
  'Asia/Bangkok',
  'Asia/Shanghai',
  'Asia/Singapore',
  'Asia/Tokyo',
  'Australia/Adelaide',
  'Australia/Sydney',
  'Pacific/Auckland',
];

/** Notes that a record was created now, and reads the zone from its date if the answer shows the record. */
export function noteCreation(
  client: Client,
  tableId: string,
  { id, item }: { id: string; item?: unknown },
): void {
  if (client.credential.timeZone !== undefined) return;
  const fresh = freshRecords.getOrCreate(client, [], () => new Map<string, number>());
  fresh.set(createKey(tableId, id), Date.now());
  const [oldest] = fresh.keys();
  if (fresh.size > MAX_FRESH && oldest !== undefined) fresh.delete(oldest);
  if (isObject(item)) hintAtCreationZone(client, tableId, [{ ...item, id }]);
}

/**
 * Adds a hint if a record that this process created within a minute has the date of another zone than that of the workflow.
 * It is silent as soon as the credential names a zone.
 * Open point: `timeZone`.
 */
export function hintAtCreationZone(client: Client, tableId: string, records: ServiceRecord[]): void {
  const fresh = client.credential.timeZone === undefined ? freshRecords.get(client, []) : undefined;
  if (!fresh) return;
  const now = Date.now();
  for (const [key, createdAt] of fresh) if (now - createdAt > FRESH_MS) fresh.delete(key);
  if (fresh.size === 0) return;
  for (const { id, created_at } of records) {
    const createdAt = fresh.get(createKey(tableId, id));
    const offset = createdAt === undefined ? undefined : findOffset(created_at, createdAt);
    const workflowOffset = IANAZone.create(client.serviceTimeZone).offset(now);
    if (offset === undefined || offset === workflowOffset) continue;
    return client.notices.addHint(
      `The service dates new records in ${formatOffset(offset)}, and the workflow is in ${client.serviceTimeZone}, ${formatOffset(workflowOffset)}. Give the zone of your application as Service Time Zone in the credential${listZones(offset, now)}.`,
    );
  }
}

const createKey = (tableId: string, id: string): string => `${tableId} ${id}`;

/** The offset in minutes of a date that was written at the moment `writtenAt`. Undefined if no zone fits. */
function findOffset(date: unknown, writtenAt: number): number | undefined {
  const asUtc =
    typeof date === 'string' ? DateTime.fromFormat(date, DATE_TIME_FORMAT, { zone: 'utc' }) : undefined;
  if (!asUtc?.isValid) return undefined;
  const difference = asUtc.toMillis() - writtenAt;
  const offset = Math.round(difference / 60_000 / STEP_MINUTES) * STEP_MINUTES;
  const isNear = Math.abs(difference - offset * 60_000) <= FRESH_MS;
  return isNear && offset >= MIN_OFFSET && offset <= MAX_OFFSET ? offset : undefined;
}

/** Formats minutes as "UTC+05:30". */
const formatOffset = (minutes: number): string =>
  `UTC${minutes < 0 ? '-' : '+'}${new Date(Math.abs(minutes) * 60_000).toISOString().slice(11, 16)}`;

/** The known zones with this offset now: ", such as Asia/Tokyo"; '' if there is none. */
function listZones(offset: number, now: number): string {
  const zones = KNOWN_ZONES.filter((name) => IANAZone.create(name).offset(now) === offset);
  return zones.length > 0 ? `, such as ${zones.join(' or ')}` : '';
}
