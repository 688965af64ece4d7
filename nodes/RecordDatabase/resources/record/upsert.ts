import type { IExecuteFunctions } from 'n8n-workflow';
import { columnMapper } from '../../../shared/kit/columnMapper';
import type { Item } from '../../../shared/kit/item';
import type { Operation, Output } from '../../../shared/kit/operation';
import { tableLocator } from '../../../shared/kit/pickers';
import type { Entries } from '../../../shared/model/fields';
import { InputError } from '../../../shared/model/inputError';
import { recordAnswerSchema } from '../../../shared/model/responses';
import type { Table } from '../../../shared/model/table';
import { recordIn } from './answer';
import { createRecord } from './create';
import { isTaken } from './dedupe';
import { endpoints } from './endpoints';
import { formulaOptions } from './formulas';
import type { MatchKey } from './matchKey';
import { unlistedOption } from '../../../shared/kit/unlisted';
import { updateRecord } from './update';
import { keyOf, UpsertLookup } from './upsertLookup';
import { withDefaults } from './defaults';
import { clearColumns, entriesOf, valuesOf } from '../../../shared/kit/givenValues';

/** One look-up per execution of the node: it ends with the execution's context. */
const lookups = new WeakMap<IExecuteFunctions, UpsertLookup>();

function lookupOf({ context }: Item): UpsertLookup {
  const lookup = lookups.get(context) ?? new UpsertLookup();
  lookups.set(context, lookup);
  return lookup;
}

/** What was done is told under `_action`; no slug of the service starts with an underscore. */
const told = (found: Output[], action: 'created' | 'updated'): Output[] =>
  found.map(({ json }) => ({ json: { ...json, _action: action } }));

function chosenIds(item: Item, key: MatchKey, ids: string[]): string[] {
  const policy = item.choice('onSeveral', ['error', 'all', 'first'], 'If Several Match');
  if (ids.length <= 1 || policy === 'all') return ids;
  if (policy === 'first') return ids.slice(0, 1);
  throw new InputError(
    `${ids.length} records match ${key.text}`,
    'Match on a column that tells records apart, or choose what to do under "If Several Match".',
  );
}

async function createNew(
  item: Item,
  table: Table,
  key: MatchKey,
  entries: Entries,
  values: Record<string, unknown>,
) {
  const body = await createRecord(
    item,
    item.option('applyDefaults') ? entriesOf(item, table, withDefaults(values, table)) : entries,
  );
  const id = recordAnswerSchema.safeParse(body).data?.item.id;
  if (id !== undefined) lookupOf(item).remember(table, key, id);
  return told(recordIn(body), 'created');
}

export const upsert: Operation = {
  name: 'upsert',
  displayName: 'Create or Update',
  action: 'Create or update a record',
  description: 'Create a new record, or update the current one if it already exists (upsert)',
  endpoints: [endpoints.listFiltered, endpoints.create, endpoints.update, endpoints.get],
  parameters: [
    tableLocator,
    columnMapper('upsert'),
    {
      displayName: 'Options',
      name: 'options',
      type: 'collection',
      placeholder: 'Add Option',
      default: {},
      options: [
        {
          displayName: 'Apply Field Defaults',
          name: 'applyDefaults',
          type: 'boolean',
          default: true,
          description: 'Whether a record that is created gets the configured defaults where it has no value',
        },
        clearColumns,
        {
          displayName: 'If Several Match',
          name: 'onSeveral',
          type: 'options',
          default: 'error',
          options: [
            { name: 'Return an Error', value: 'error' },
            { name: 'Update All', value: 'all' },
            { name: 'Update the First', value: 'first' },
          ],
        },
        unlistedOption,
        ...formulaOptions,
      ],
    },
  ],
  async run(item) {
    const table = await item.table(item.id('dataTableId'));
    const key = keyOf(item, table);
    const lookup = lookupOf(item);
    // In line before its files are read, or an item behind it with the same key could overtake it.
    return lookup.inTurn(item, table, key, async (ids) => {
      const values = await valuesOf(item, table);
      const entries = entriesOf(item, table, values);
      const updateAll = async (matching: string[]): Promise<Output[]> => {
        const updated: Output[] = [];
        for (const id of chosenIds(item, key, matching)) {
          const body = await updateRecord(item, table, id, entries, lookup.take(id));
          updated.push(...told(recordIn(body, { id }), 'updated'));
        }
        return updated;
      };
      if (ids.length > 0) return updateAll(ids);
      return createNew(item, table, key, entries, values).catch(async (error: unknown) => {
        const slugs = key.matches.map(({ slot }) => slot.field.slug);
        // Somebody else was faster: by now the record is there.
        const matching = isTaken(error, slugs) ? await lookup.findAnew(item, table, key) : [];
        if (matching.length === 0) throw error;
        return updateAll(matching);
      });
    });
  },
};
