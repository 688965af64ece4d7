import { uniq } from 'lodash';
import {
  type ApiError,
  asThrown,
  type Client,
  InputError,
  isNotFoundByService,
  isRefusedValue,
  memory,
} from '../../service';
import type { Field } from '../fields/field';
import {
  type ConnectionEntries,
  type ConnectionEntry,
  type ConnectionNotation,
  IdForm,
  mayBeId,
  parseConnectionEntries,
} from '../fields/recordValues';
import { readRecord } from '../reading/readRecords';
import { type NameLookup, createAmbiguousError, createNotFoundError, getNameLookup } from './nameLookup';

export interface ConnectionSettings {
  notation: ConnectionNotation;
  /**
   * How a text with the form of an ID is interpreted. `trust`: always as an ID. `compare`: as an ID if no record has
   * the text as its name. `check`: as `compare`, and a record with the ID must exist.
   */
  idCheck: 'trust' | 'compare' | 'check';
  /** Whether a name that several records have means all of them. By default it is an error. */
  allowsSeveral?: boolean;
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
  /** Number of records that the value names; with `allowsSeveral`, one name may have several records. */
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
  constructor(
    private readonly client: Client,
    private readonly field: Field,
    readonly settings: ConnectionSettings,
    private readonly idForm: IdForm,
  ) {}

  /** Whether an entry is an ID for certain, so that no look-up is needed. */
  isKnownId({ type, text }: ConnectionEntry): boolean {
    return (
      type === 'id' || (type === 'text' && this.settings.idCheck === 'trust' && this.idForm.matches(text))
    );
  }

  /** Gets the look-up. Undefined if the table has no field with names, and every text may be an ID. */
  async getLookup(entries: ConnectionEntry[]): Promise<NameLookup | undefined> {
    const { client, field } = this;
    return getNameLookup(client, field).catch((error: unknown) => {
      if (error instanceof InputError && entries.every(({ type }) => type !== 'name')) return undefined;
      throw asThrown(error);
    });
  }

  /** Finds the records of an entry: one, or several with `allowsSeveral`. */
  async resolve(entry: ConnectionEntry, found: string[], lookup?: NameLookup): Promise<ConnectedRecord[]> {
    const { client, field, settings } = this;
    const { type, text } = entry;
    if (this.isKnownId(entry)) return [{ id: text }];
    if (found.length > 1 && !settings.allowsSeveral)
      throw await createAmbiguousError(client, field, text, { ids: found, lookup });
    if (found.length > 0) return found.map((id) => this.learnId(id));
    if (type === 'text' && (await this.isId(text))) return [this.learnId(text)];
    if (settings.allowsMissing && lookup) return [{ missing: text, lookup }];
    const canBeCreated = settings.allowsMissing === false && lookup !== undefined;
    throw await createNotFoundError(client, field, text, { lookup, canBeCreated });
  }

  private async isId(text: string): Promise<boolean> {
    const tableId = this.field.connection?.tableId;
    if (tableId === undefined) return true;
    if (this.settings.idCheck !== 'check' && this.idForm.matches(text)) return true;
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
  ...entries.filter((entry) => !resolver.isKnownId(entry)).map(({ text }) => text),
  ...(whole === undefined ? [] : [whole]),
];

/** Whether a text with commas is one name: a record has it, or the value is a single record. */
const isUndivided = (found: string[] = [], { isSingle }: ConnectionSettings, field: Field): boolean =>
  found.length > 0 || (isSingle ?? !field.connection?.many);

/** Starts the look-up of the names in `others`, so that later calls find their names already requested. */
function startLookup(
  lookup: NameLookup,
  others: unknown[],
  field: Field,
  resolver: ConnectionResolver,
): void {
  const names = others.flatMap((value) =>
    listNames(parseConnectionEntries(value, field, resolver.settings.notation), resolver),
  );
  // The call that needs a name reports its failure.
  lookup.find(uniq(names)).catch(() => undefined);
}

/**
 * Finds the connected records of a value that has IDs, names or both.
 * @example
 * const settings = { notation: 'detect', idCheck: 'trust', allowsMissing: false };
 * await client.connections.resolve(table.field('Customer', 'Fields'), 'Example Ltd', settings);
 * // { field, records: [{ id: 'K7pQ2xW9Lm' }] }
 * @param collectOthers returns values of the same field that later calls need: their names share the requests
 * @throws InputError for a name or ID that no record has, and without `allowsSeveral` for a name of several records
 */
export async function resolveConnection(
  client: Client,
  field: Field,
  value: unknown,
  settings: ConnectionSettings,
  collectOthers: () => unknown[] = () => [],
): Promise<ResolvedConnection> {
  const parsed = parseConnectionEntries(value, field, settings.notation);
  const { entries, whole } = parsed;
  const idForm = await getIdForm(client, field.connection?.tableId);
  const resolver = new ConnectionResolver(client, field, settings, idForm);
  if (entries.every((entry) => resolver.isKnownId(entry)))
    return { field, records: entries.map(({ text }) => ({ id: text })), entryCount: entries.length };

  const lookup = await resolver.getLookup(entries);
  if (lookup) startLookup(lookup, [value, ...collectOthers()], field, resolver);
  const found = (await lookup?.find(uniq(listNames(parsed, resolver)))) ?? new Map<string, string[]>();
  const isWhole = whole !== undefined && isUndivided(found.get(whole), settings, field);
  const wanted: ConnectionEntry[] = isWhole ? [{ type: 'name', text: whole }] : entries;
  const records: ResolvedConnection['records'] = [];
  // One after the other: the first ID of a new form costs a request, and the others are recognised by it.
  for (const entry of wanted)
    records.push(...(await resolver.resolve(entry, found.get(entry.text) ?? [], lookup)));
  return { field, records, entryCount: wanted.length };
}
