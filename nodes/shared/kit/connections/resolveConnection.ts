import { uniq } from 'lodash';
import type { Field } from '../../model/fields';
import {
  type ConnectionEntries,
  type ConnectionEntry,
  parseConnectionEntries,
} from '../../model/records/connectionEntries';
import type { Client } from '../../transport/client';
import {
  ConnectionResolver,
  type ConnectionSettings,
  getIdForm,
  type ResolvedConnection,
} from './connectionResolver';
import type { NameLookup } from './nameLookup';

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
 * @param collectOthers returns values of the same field that later calls need: their names share the requests
 * @throws InputError for a name or ID that no record has, and for a name that several records have
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
    return { field, records: entries.map(({ text }) => ({ id: text })) };

  const lookup = await resolver.getLookup(entries);
  if (lookup) startLookup(lookup, [value, ...collectOthers()], field, resolver);
  const found = (await lookup?.find(uniq(listNames(parsed, resolver)))) ?? new Map<string, string[]>();
  const isWhole = whole !== undefined && isUndivided(found.get(whole), settings, field);
  const wanted: ConnectionEntry[] = isWhole ? [{ type: 'name', text: whole }] : entries;
  const records: ResolvedConnection['records'] = [];
  // One after the other: the first ID of a new form costs a request, and the others are recognised by it.
  for (const entry of wanted)
    records.push(await resolver.resolve(entry, found.get(entry.text) ?? [], lookup));
  return { field, records };
}
