/**
 * The entry point of the client: everything that it does for a caller, by the resources of the service. README.md shows
 * how to make a client.
 */
import { resolveConnection } from './connections/connectionResolver';
import { buildRecordFilter } from './connections/resolveFilter';
import { openDownload } from './files/openDownload';
import { type ClientOptions, HttpClient } from './http/client';
import { parseCredential } from './http/credential';
import type { Port } from './http/port';
import {
  fetchUnlessGone,
  findListedJob,
  startImport,
  startJob,
  triggerImport,
  waitForCompletion,
} from './jobs/runJob';
import { fetchLogPage } from './logs/readLog';
import { createRecord, createUniqueRecord } from './records/createOnce';
import { fetchRecordPage, readAllRecords, readRecord } from './records/readRecords';
import { getCachedTables, getFreshTable, getTable } from './records/tables';
import { upsertRecord } from './records/upsert';
import { applySync } from './sync/applySync';
import { planTableSync } from './sync/syncTable';
import { deleteRecord, deleteRecords } from './update/deleteRecords';
import { updateRecord } from './update/updateRecord';
import { verifyCreated } from './update/verifyWrite';

/** Gives a function its client. */
const bind =
  <Args extends unknown[], Result>(
    client: HttpClient,
    method: (client: HttpClient, ...args: Args) => Result,
  ) =>
  (...args: Args): Result =>
    method(client, ...args);

/** A client of the service: one user, in one execution. */
export class Client extends HttpClient {
  /** The tables of the application, with their fields. */
  readonly tables = {
    list: bind(this, getCachedTables),
    get: bind(this, getTable),
    getFresh: bind(this, getFreshTable),
  };

  readonly filters = {
    build: bind(this, buildRecordFilter),
  };

  readonly records = {
    read: bind(this, readRecord),
    readPage: bind(this, fetchRecordPage),
    readAll: bind(this, readAllRecords),
    create: bind(this, createRecord),
    verifyCreated: bind(this, verifyCreated),
    update: bind(this, updateRecord),
    createUnique: bind(this, createUniqueRecord),
    upsert: bind(this, upsertRecord),
    delete: bind(this, deleteRecord),
    deleteMany: bind(this, deleteRecords),
    planSync: bind(this, planTableSync),
    applySync: bind(this, applySync),
  };

  /** Records that a connection names. */
  readonly connections = {
    resolve: bind(this, resolveConnection),
  };

  /** Runs of tasks, automations, imports and exports. */
  readonly jobs = {
    start: bind(this, startJob),
    wait: bind(this, waitForCompletion),
    read: bind(this, fetchUnlessGone),
    findListed: bind(this, findListedJob),
  };

  readonly imports = {
    start: bind(this, startImport),
    trigger: bind(this, triggerImport),
  };

  readonly files = {
    open: bind(this, openDownload),
  };

  readonly logs = {
    readPage: bind(this, fetchLogPage),
  };
}

/**
 * Creates a client.
 * @param settings the fields of the credential: `baseUrl`, `appId`, `appKey`, `appSecret`, `userLogin` and others
 * @example
 * const client = createClient(port, { baseUrl, appId, appKey, appSecret, userLogin: 'none' });
 * const records = await client.records.readAll({ tableId: 'T1x9Kq', limit: 500 });
 * @throws InputError for a setting that is missing or wrong, before anything is sent
 */
export const createClient = (
  port: Port,
  settings: Record<string, unknown>,
  options?: ClientOptions,
): Client => new Client(port, parseCredential(settings), options);
