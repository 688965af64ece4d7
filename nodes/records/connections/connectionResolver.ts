/**
 * The records that the value of a connection names, by IDs or by names. `resolveConnection` finds them.
 * `ConnectionSettings` defines how a text with the form of an ID is read.
 */
import { uniq } from 'lodash';
import {
  ApiError,
  asThrown,
  type Client,
  InputError,
  isNotFoundByService,
  isRefusedValue,
  memory,
  tryOr,
} from '../../service';
import type { Field } from '../fields/field';
import { toNameKey } from '../fields/names';
import {
  type ConnectionEntries,
  type ConnectionEntry,
  type ConnectionNotation,
  IdForm,
  mayBeId,
  parseConnectionEntries,
} from '../fields/recordValues';
import { isKnownPair } from '../reading/connectedTexts';
import { createDisagreementError } from '../reading/givenValues';
import { readRecord } from '../reading/readRecords';
import { readText } from './learnTexts';
import { type NameLookup, createAmbiguousError, createNotFoundError, getNameLookup } from './nameLookup';

/**
 * Finds the connected records of a value that has IDs, names or both. Every look-up of connected records goes through this
 * function; `use` says what it is for.
 * @example
 * const settings = { use: 'write', notation: 'detect', allowsMissing: false } as const;
 * await resolveConnection(client, table.field('Customer', 'Fields'), 'Example Ltd', settings);
 * // { field, records: [{ id: 'K7pQ2xW9Lm' }] }
 * @param collectOthers returns values of the same field that later calls need: their names share the requests
 * @throws InputError for a name or ID that no record has, for a name of several records except in a filter, and for a text
 *   that is not that of the ID beside it
 */
export async function resolveConnection(
  client: Client,
  field: Field,
  value: unknown,
  settings: ConnectionSettings,
  collectOthers: () => unknown[] | Promise<unknown[]> = () => [],
): Promise<ResolvedConnection> {
  const idForm = await getIdForm(client, field.connection?.tableId);
  const resolver = new ConnectionResolver(client, field, settings, idForm);
  const parsed = resolver.parse(value);
  const { entries, whole } = parsed;
  if (entries.every((entry) => resolver.isKnownId(entry)))
    return { field, records: entries.map(({ text }) => ({ id: text })), entryCount: entries.length };

  const available = await resolver.getLookup(entries);
  if (available) startLookup(available, [value, ...(await collectOthers())], resolver);
  const names = listNames(parsed, resolver);
  const answers = await resolver.find(entries, names, available);
  const lookup = answers && available;
  const found = answers ?? new Map<string, string[]>();
  const isWhole = whole !== undefined && isUndivided(found.get(whole), settings, field);
  const wanted: ConnectionEntry[] = isWhole ? [{ type: 'name', text: whole }] : entries;
  const records: ResolvedConnection['records'] = [];
  // One after the other: the first ID of a new form costs a request, and the others are recognised by it.
  for (const entry of wanted)
    records.push(...(await resolver.resolve(entry, found.get(entry.shown ?? entry.text) ?? [], lookup)));
  return { field, records, entryCount: wanted.length };
}

/**
 * What connected records are looked up for:
 * - `write`: values of a record. A text with the form of an ID is an ID. A text beside an ID must be that of its record.
 * - `uncheckedWrite`: the same, where the answer shows no record: a record with the ID must exist.
 * - `key`: a value to match on. A text with the form of an ID is an ID if no record has it as its name.
 * - `filter`: as `key`, and a name that several records have means any of them.
 * - `storedFilter`: the filter of a trigger. As `filter`, but a text with the form of an ID is an ID.
 */
export type ConnectionUse = 'write' | 'uncheckedWrite' | 'key' | 'filter' | 'storedFilter';

interface UseRules {
  /**
   * How a text with the form of an ID is read. `trust`: as an ID. `compare`: as an ID if no record has the text as its name.
   * `check`: as `compare`, and a record with the ID must exist.
   */
  idCheck: 'trust' | 'compare' | 'check';
  /** Whether a name that several records have means all of them. Otherwise it is an error. */
  allowsSeveral?: true;
  /** Whether the text that stands beside an ID is compared with its record. */
  comparesTexts?: true;
}

const USE_RULES: Record<ConnectionUse, UseRules> = {
  write: { idCheck: 'trust', comparesTexts: true },
  uncheckedWrite: { idCheck: 'check', comparesTexts: true },
  key: { idCheck: 'compare', comparesTexts: true },
  filter: { idCheck: 'compare', allowsSeveral: true },
  storedFilter: { idCheck: 'trust', allowsSeveral: true },
};

interface ConnectionSettings {
  use: ConnectionUse;
  notation: ConnectionNotation;
  /** Whether the value is one record, and a text with commas is one name. By default, the field decides. */
  isSingle?: boolean;
  /**
   * Whether a name that no record has is returned as missing. Otherwise it is an error; false if the form has an option
   * for it.
   */
  allowsMissing?: boolean;
}

/** A connected record: its ID, or the name of a record to create with the look-up that did not find it. */
type ConnectedRecord = { id: string } | { missing: string; lookup: NameLookup };

/** The connected records of one value. */
export interface ResolvedConnection {
  field: Field;
  records: ConnectedRecord[];
  /** Number of records that the value names. In a filter, one name may have several records. */
  entryCount: number;
}

/** The form of the IDs of a table. It is derived from the ID of the table, and from the IDs that the service returned. */
const getIdForm = memory.perClient<Client, IdForm>(
  'idForms',
  { holds: 'what the IDs of a table look like' },
  (_client, tableId) => Promise.resolve(new IdForm(tableId)),
);

/** Whether a table has a record with this ID. One request for each ID and execution. */
const hasRecord = memory.perClient(
  'knownIds',
  { holds: 'whether a record exists' },
  async (client: Client, key) => {
    const [dataTableId, recordId] = JSON.parse(key) as [string, string];
    if (!mayBeId(recordId)) return false;
    try {
      await readRecord(client, dataTableId, recordId);
      return true;
    } catch (error) {
      const isRefused =
        isNotFoundByService(error) || (isRefusedValue(error) && (error as ApiError).isFromService);
      if (isRefused || error instanceof InputError) return false;
      throw asThrown(error);
    }
  },
);

/** Whether a table has a record with this ID. A text with the form of an ID costs no request. */
export async function isRecordId(client: Client, tableId: string, text: string): Promise<boolean> {
  const idForm = await getIdForm(client, tableId);
  if (idForm.matches(text)) return true;
  const isFound = await hasRecord(client, JSON.stringify([tableId, text]));
  if (isFound) idForm.learn(text);
  return isFound;
}

/** Resolves the connected records of one value of a connection. */
class ConnectionResolver {
  readonly rules: UseRules;

  constructor(
    private readonly client: Client,
    private readonly field: Field,
    readonly settings: ConnectionSettings,
    private readonly idForm: IdForm,
  ) {
    this.rules = USE_RULES[settings.use];
  }

  parse(value: unknown): ConnectionEntries {
    const { entries, whole } = parseConnectionEntries(value, this.field, this.settings.notation);
    if (this.rules.comparesTexts) return { entries, whole };
    return { entries: entries.map(({ type, text }) => ({ type, text })), whole };
  }

  /** Whether an entry is an ID for certain, so that no look-up is needed. */
  isKnownId({ type, text, shown }: ConnectionEntry): boolean {
    if (shown !== undefined) return this.isKnownPair(text, shown);
    return type === 'id' || (type === 'text' && this.rules.idCheck === 'trust' && this.idForm.matches(text));
  }

  /** Gets the look-up. Undefined if names cannot be looked up, and every text may be an ID. */
  async getLookup(entries: ConnectionEntry[]): Promise<NameLookup | undefined> {
    const { client, field } = this;
    return getNameLookup(client, field).catch((error: unknown) => {
      const needsNames = entries.some(({ type }) => type === 'name');
      if (error instanceof InputError && !needsNames) return undefined;
      return this.ignoreForbidden(entries, error);
    });
  }

  /** Finds the records of names. Undefined if the key may not read them, and only texts beside IDs would be compared. */
  async find(entries: ConnectionEntry[], names: string[], lookup?: NameLookup) {
    const none = new Map<string, string[]>();
    return lookup
      ? lookup.find(uniq(names)).catch((error: unknown) => this.ignoreForbidden(entries, error))
      : none;
  }

  private ignoreForbidden(entries: ConnectionEntry[], error: unknown): undefined {
    const comparesOnly = entries.every((entry) => entry.shown !== undefined || this.isKnownId(entry));
    if (!comparesOnly || !(error instanceof ApiError) || error.status !== 403) throw asThrown(error);
  }

  /** Finds the records of an entry: one, or several in a filter. */
  async resolve(entry: ConnectionEntry, found: string[], lookup?: NameLookup): Promise<ConnectedRecord[]> {
    const { client, field, settings } = this;
    const { type, text, shown } = entry;
    if (this.isKnownId(entry)) return [this.learnId(text)];
    if (shown !== undefined) return this.resolvePair(text, shown, found, lookup);
    if (found.length > 1 && !this.rules.allowsSeveral)
      throw await createAmbiguousError(client, field, text, { ids: found, lookup });
    if (found.length > 0) return found.map((id) => this.learnId(id));
    if (type === 'text' && (await this.isId(text))) return [this.learnId(text)];
    if (settings.allowsMissing && lookup) return [{ missing: text, lookup }];
    const isFilter = this.rules.allowsSeveral === true;
    const canBeCreated = isFilter ? undefined : settings.allowsMissing === false && lookup !== undefined;
    throw await createNotFoundError(client, field, text, { lookup, canBeCreated });
  }

  /**
   * Compares an ID with the text beside it. A value without the form of an ID is none: its text alone counts. A text that
   * cannot be looked up is not compared.
   * @param found the records that have the text
   * @throws InputError if the record of the ID has another text
   */
  private async resolvePair(
    id: string,
    shown: string,
    found: string[],
    lookup?: NameLookup,
  ): Promise<ConnectedRecord[]> {
    const { client, field } = this;
    if (found.includes(id)) return [this.learnId(id)];
    if (!this.mayBeRecordId(id))
      return this.resolve({ type: 'name', text: shown === '' ? id : shown }, found, lookup);
    const isCompared = lookup !== undefined && shown !== '' && lookup.canHave(shown);
    const text = await readText(client, field, id);
    if (text !== undefined && toNameKey(text) === toNameKey(shown)) return [this.learnId(id)];
    if (isCompared || text !== undefined) throw createDisagreementError(field, shown, id, text);
    client.notices.addHint(
      `"${field.name}": texts could not be looked up, so they were not compared with their IDs. The IDs count.`,
    );
    return [{ id }];
  }

  private isKnownPair(id: string, shown: string): boolean {
    const { connection } = this.field;
    return connection !== undefined && isKnownPair(this.client, connection, id, shown);
  }

  /** Whether a text has the form of the IDs of the connected table. It is not known for a table that is not named. */
  private mayBeRecordId(text: string): boolean {
    return this.field.connection?.tableId === undefined || this.idForm.fits(text);
  }

  private async isId(text: string): Promise<boolean> {
    const tableId = this.field.connection?.tableId;
    if (tableId === undefined) return true;
    if (this.rules.idCheck !== 'check' && this.idForm.matches(text)) return true;
    return hasRecord(this.client, JSON.stringify([tableId, text]));
  }

  /** Adds an ID to the known form of IDs, so that the next ones of this form need no request. */
  private learnId(id: string): ConnectedRecord {
    this.idForm.learn(id);
    return { id };
  }
}

/** The texts of a value that must be looked up. */
const listNames = ({ entries, whole }: ConnectionEntries, resolver: ConnectionResolver): string[] => [
  ...entries
    .filter((entry) => !resolver.isKnownId(entry))
    .map(({ text, shown }) => shown ?? text)
    .filter((name) => name !== ''),
  ...(whole === undefined ? [] : [whole]),
];

/** Whether a text with commas is one name: a record has it, or the value is a single record. */
const isUndivided = (found: string[] = [], { isSingle }: ConnectionSettings, field: Field): boolean =>
  found.length > 0 || (isSingle ?? !field.connection?.many);

/** Starts the look-up of the names in `others`, so that later calls find their names already requested. */
function startLookup(lookup: NameLookup, others: unknown[], resolver: ConnectionResolver): void {
  // The call that has an invalid value, or needs a name, reports its failure.
  const names = others.flatMap((value) => tryOr(() => listNames(resolver.parse(value), resolver), []));
  lookup.find(uniq(names)).catch(() => undefined);
}
