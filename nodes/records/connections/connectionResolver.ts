/** Finds the records that the value of a connection gives by ID or by name. */
import { omit, uniq } from 'lodash';
import {
  ApiError,
  asThrown,
  type Client,
  InputError,
  isNotFoundByService,
  isValueRefusal,
  type ServiceRecord,
  tryOr,
} from '../../service';
import { looksLikeId } from '../fields/connection';
import type { Field } from '../fields/field';
import { toNameKey } from '../fields/names';
import {
  type ConnectionEntries,
  type ConnectionEntry,
  type ConnectionNotation,
  mayBeId,
  parseConnectionEntries,
} from '../fields/recordValues';
import { hasStoredTexts, isStoredText } from '../reading/connectedTexts';
import { createIdMismatchError } from '../reading/givenValues';
import { getReader, getRunCache } from '../reading/recordReader';
import { getTable } from '../reading/tables';
import { readRecordText } from './missingTexts';
import { NameLookup, createSameNameError, createNoRecordError, getConnectedTable } from './nameLookup';

/**
 * Finds the connected records of a value that has IDs, names or both.
 * @example
 * const settings = { use: 'write', notation: 'detect', allowsMissing: false } as const;
 * await resolveConnection(client, table.requireField('Customer', 'Fields'), 'Example Ltd', settings);
 * // { field, records: [{ id: 'K7pQ2xW9Lm' }], entryCount: 1 }
 * @param collectOthers returns the values of later calls for this field, so that one request looks up all names
 * @throws InputError for a name or ID that no record has, and for `{id, val}` if the record has another text than `val`
 * @throws InputError for a name that several records have. In a filter, such a name means all of these records
 */
export const resolveConnection = (
  client: Client,
  field: Field,
  value: unknown,
  settings: ResolverSettings,
  collectOthers: () => unknown[] | Promise<unknown[]> = () => [],
): Promise<ResolvedConnection> => new ConnectionResolver(client, field, settings).run(value, collectOthers);

/**
 * Why records are looked up. A text with the form of an ID is an ID if a record has it, except for `storedFilter`.
 * - `write`: values to write. If the last write returned its record, IDs are checked in the next response instead.
 * - `checkedWrite`: as `write`, but the response contains no record, so each ID without a cached text is looked up.
 * - `key`: a value by which records to change are found.
 * - `filter`: a name that several records have means any of them.
 * - `storedFilter`: the filter of a trigger. As `filter`, but a text with the form of an ID is not looked up.
 */
export type LookupPurpose = 'write' | 'checkedWrite' | 'key' | 'filter' | 'storedFilter';

interface ResolverSettings {
  use: LookupPurpose;
  notation: ConnectionNotation;
  /** Whether a text with commas is one name. By default, true for a connection that takes one record. */
  isSingle?: boolean;
  /**
   * What happens to an unknown name. `true`: the name is returned as `missing`. `false`: an error names the option that
   * creates missing records. Undefined: an error names no option.
   */
  allowsMissing?: boolean;
}

/** The ID of a connected record, or a name that no record has. `lookup` is the look-up that did not find the name. */
type IdOrMissingName = { id: string } | { missing: string; lookup: NameLookup };

export interface ResolvedConnection {
  field: Field;
  records: IdOrMissingName[];
  /** Number of names and IDs in the value. In a filter, `records` may be longer: several records may have one name. */
  entryCount: number;
}

/**
 * @param listIds lists the IDs that this call and later calls look up. Pages of the table are read if that takes fewer
 * requests than one for each ID
 */
export async function recordExists(
  client: Client,
  tableId: string,
  id: string,
  listIds: () => string[] = () => [id],
): Promise<boolean> {
  if (!mayBeId(id)) return false;
  const records = getReader(client, await getTable(client, tableId));
  try {
    await records.getRecord(id, { listIds });
    return true;
  } catch (error) {
    const isRefused =
      isNotFoundByService(error) || (isValueRefusal(error) && (error as ApiError).isFromService);
    if (isRefused || error instanceof InputError) return false;
    throw asThrown(error);
  }
}

const getLookupText = ({ text, given = text, shown = given }: ConnectionEntry): string => shown;

/** Whether the user gave the record by its name: as `{name}`, or as a text without the form of an ID. */
export const isGivenByName = ({ type, text }: ConnectionEntry): boolean =>
  type === 'name' || (type === 'text' && !looksLikeId(text));

class ConnectionResolver {
  /** The IDs of records that a request found. */
  private readonly confirmedIds = new Set<string>();
  /** The value of this call, and the values of later calls. */
  private values: unknown[] = [];
  /** Undefined if names cannot be looked up, for example because the API key may not read the connected table. */
  private lookup?: NameLookup;

  constructor(
    private readonly client: Client,
    private readonly field: Field,
    private readonly settings: ResolverSettings,
  ) {}

  async run(
    value: unknown,
    collectOthers: () => unknown[] | Promise<unknown[]>,
  ): Promise<ResolvedConnection> {
    const { field, settings } = this;
    const parsed = this.parseValue(value);
    const { entries, whole } = parsed;
    const areKnown = () => entries.every((entry) => this.needsNoLookup(entry));
    if (!areKnown()) this.values = [value, ...(await collectOthers())];
    await this.confirmIds(entries);
    if (areKnown())
      return { field, records: entries.map(({ text }) => ({ id: text })), entryCount: entries.length };

    const available = await this.tryCreateLookup(entries);
    if (available) this.prefetchNames(available);
    const answers = await available
      ?.findByNames(uniq(this.listNamesToFind(parsed)))
      .catch((error: unknown) => this.rethrowIfLookupNeeded(entries, error));
    this.lookup = answers && available;
    const found = answers ?? new Map<string, ServiceRecord[]>();
    // A text with commas is one name if it may mean only one record, or if a record has the whole text as its name.
    const isSingle = settings.isSingle ?? !field.connection?.many;
    const isWhole = whole !== undefined && (isSingle || (found.get(whole) ?? []).length > 0);
    const wanted: ConnectionEntry[] = isWhole ? [{ type: 'name', text: whole }] : entries;
    const records = await Promise.all(
      wanted.map((entry) => this.resolveEntry(entry, found.get(getLookupText(entry)) ?? [])),
    );
    return { field, records: records.flat(), entryCount: wanted.length };
  }

  private listNamesToFind({ entries, whole }: ConnectionEntries): string[] {
    const isOpen = (entry: ConnectionEntry) => entry.type !== 'id' || entry.shown !== undefined;
    const open = entries.filter((entry) => !this.needsNoLookup(entry) && isOpen(entry));
    const names = open.map(getLookupText).filter((name) => name !== '');
    return whole === undefined ? names : [...names, whole];
  }

  /** Requests the records with the names in all values. Later calls then find these records in the cache. */
  private prefetchNames(lookup: NameLookup): void {
    // Errors are ignored here: the call that needs the name reports them.
    const names = this.values.flatMap((one) => tryOr(() => this.listNamesToFind(this.parseValue(one)), []));
    lookup.findByNames(uniq(names)).catch(() => undefined);
  }

  private get isFilter(): boolean {
    return this.settings.use === 'filter' || this.settings.use === 'storedFilter';
  }

  /** In a filter, `val` of `{id, val}` is left out: only the ID is compared. */
  private parseValue(value: unknown): ConnectionEntries {
    const { entries, whole } = parseConnectionEntries(value, this.field, this.settings.notation);
    if (!this.isFilter) return { entries, whole };
    return { entries: entries.map((entry) => omit(entry, 'shown')), whole };
  }

  /** Whether the ID of the entry needs no look-up and, for `{id, val}`, a response has shown the text `val`. */
  private needsNoLookup(entry: ConnectionEntry): boolean {
    return !this.hasUnknownVal(entry) && this.isAcceptedId(entry);
  }

  /** Whether the entry is `{id, val}`, and no response of the service has shown the text `val` for this ID. */
  private hasUnknownVal({ text, shown }: ConnectionEntry): boolean {
    const { connection } = this.field;
    return shown !== undefined && !(connection && isStoredText(this.client, connection, text, shown));
  }

  private isAcceptedId({ type, text }: ConnectionEntry): boolean {
    const { client, field, settings, isFilter } = this;
    if (this.confirmedIds.has(text)) return true;
    if (isGivenByName({ type, text })) return false;
    // An ID in a filter is not looked up. If no record has the ID, the filter finds nothing.
    if (type === 'id' && isFilter) return true;
    if (settings.use === 'storedFilter' || field.connection?.tableId === undefined) return true;
    if (settings.use === 'write' && getRunCache(client).lastWriteReturnedRecord) return true;
    return hasStoredTexts(client, field.connection, text);
  }

  private async confirmIds(entries: ConnectionEntry[]): Promise<void> {
    const open = entries.filter((entry) => !this.hasUnknownVal(entry) && !this.isAcceptedId(entry));
    const ids = open.filter((entry) => !isGivenByName(entry));
    await Promise.all(ids.map((entry) => this.confirmId(entry)));
  }

  /** If the API key may not read the connected table, a text with the form of an ID counts as an ID. */
  private async confirmId(entry: ConnectionEntry): Promise<boolean> {
    const { text: id } = entry;
    const tableId = this.field.connection?.tableId;
    const isFound =
      tableId === undefined ||
      (await recordExists(this.client, tableId, id, () => this.listPossibleIds()).catch((error: unknown) => {
        if (!isGivenByName(entry) && error instanceof ApiError && error.status === 403) return true;
        throw asThrown(error);
      }));
    if (isFound) this.confirmedIds.add(id);
    return isFound;
  }

  private listPossibleIds(): string[] {
    const entries = this.values.flatMap((value) => tryOr(() => this.parseValue(value).entries, []));
    return entries.flatMap(({ type, text }) => (type !== 'name' && mayBeId(text) ? [text] : []));
  }

  /** Returns undefined if names cannot be looked up and each entry may be an ID. Each text then counts as an ID. */
  private async tryCreateLookup(entries: ConnectionEntry[]): Promise<NameLookup | undefined> {
    const { client, field } = this;
    const target = await getConnectedTable(client, field).catch((error: unknown) => {
      const needsNames = entries.some(({ type }) => type === 'name');
      if (error instanceof InputError && !needsNames) return undefined;
      return this.rethrowIfLookupNeeded(entries, error);
    });
    return target && new NameLookup(client, target);
  }

  /** Ignores status 403 if every entry has an ID. The look-up would only have checked the `val` of `{id, val}`. */
  private rethrowIfLookupNeeded(entries: ConnectionEntry[], error: unknown): undefined {
    const comparesOnly = entries.every((entry) => entry.shown !== undefined || this.needsNoLookup(entry));
    if (!comparesOnly || !(error instanceof ApiError) || error.status !== 403) throw asThrown(error);
  }

  private async resolveEntry(entry: ConnectionEntry, found: ServiceRecord[]): Promise<IdOrMissingName[]> {
    const { client, field, settings, isFilter, lookup } = this;
    const { type, text, shown } = entry;
    if (this.needsNoLookup(entry)) return [{ id: text }];
    if (shown !== undefined) return this.findRecordOfPair(entry, shown, found);
    if (found.length > 1 && !isFilter && lookup)
      throw await createSameNameError(client, field, text, { records: found, table: lookup.target.table });
    if (found.length > 0) return found.map(({ id }) => ({ id }));
    if (type === 'text' && isGivenByName(entry) && (await this.confirmId(entry))) return [{ id: text }];
    if (isGivenByName(entry) && settings.allowsMissing && lookup) return [{ missing: text, lookup }];
    const canBeCreated = settings.allowsMissing === false && lookup !== undefined;
    throw await createNoRecordError(client, field, text, { lookup, canBeCreated });
  }

  /** Compares all values of a record, because the service shows another value in place of a blank name. */
  private async recordShowsText(id: string, text: string, { target }: NameLookup): Promise<boolean> {
    const { record } = await getReader(this.client, target.table).getRecord(id);
    return Object.values(record).some((value) => value === text);
  }

  /**
   * Compares `id` and `val` of `{id, val}`. If `id` does not have the form of an ID, only `val` is used. A `val` that
   * cannot be looked up is not compared.
   * @throws InputError if the record has another text, or if no record has the ID
   */
  private async findRecordOfPair(
    { text: id }: ConnectionEntry,
    shown: string,
    found: ServiceRecord[],
  ): Promise<IdOrMissingName[]> {
    const { client, field, lookup } = this;
    if (found.some((record) => record.id === id)) return [{ id }];
    if (field.connection?.tableId !== undefined && !looksLikeId(id)) {
      const entry =
        shown === '' ? ({ type: 'text', text: id } as const) : ({ type: 'name', text: shown } as const);
      return this.resolveEntry(entry, found);
    }
    const isCompared = lookup !== undefined && shown !== '' && lookup.createNameKey(shown) !== undefined;
    const text = await readRecordText(client, field, id);
    if (text !== undefined && toNameKey(text) === toNameKey(shown)) return [{ id }];
    if (text === '' && lookup && (await this.recordShowsText(id, shown, lookup))) return [{ id }];
    if (isCompared || text !== undefined) throw createIdMismatchError(field, shown, id, text);
    client.notices.addHint(
      `"${field.name}": texts could not be looked up, so they were not compared with their IDs. The records with these IDs are used.`,
    );
    await this.confirmIds([{ type: 'id', text: id }]);
    return this.resolveEntry({ type: 'id', text: id }, []);
  }
}
