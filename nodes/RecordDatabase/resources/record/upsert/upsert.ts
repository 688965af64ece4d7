import { isEqual } from 'lodash';
import { createColumnForm } from '../../../../shared/kit/columns/json/columnForm';
import { readRecordEntries } from '../../../../shared/kit/columns/recordEntries';
import { applyDefaultsOption, updateOptions } from '../../../../shared/kit/columns/writeOptions';
import { withLookupEndpoints } from '../../../../shared/kit/connections/lookupEndpoints';
import type { Operation } from '../../../../shared/kit/operation/operation';
import { createOptions } from '../../../../shared/kit/operation/parameter';
import { tableLocator } from '../../../../shared/kit/pickers/tablePickers';
import { recordEndpoints } from '../../../../shared/model/endpoints/records';
import { changedOutput } from '../../../../shared/model/outputs/records';
import { isServiceNotFound } from '../../../../shared/transport/errors/apiError';
import { isDuplicateError } from '../write/dedupe';
import { formulaOptions } from '../write/formulas';
import { linkOption, readLink } from '../write/link';
import { readMatchKey } from './batchLookup';
import type { MatchKey } from './matchKey';
import type { MatchedRecord } from './upsertLookup';
import {
  createUnmatched,
  getLookup,
  selectMatches,
  severalMatchesOption,
  updateMatches,
  writeUnchangedOption,
} from './writeMatches';

const listIds = (matches: MatchedRecord[]) => matches.map(({ id }) => id);

/**
 * Whether another client created or deleted the record after the look-up. An error about one of several records is
 * final, because the other ones may have been updated.
 */
function isLookupOutdated(error: unknown, key: MatchKey, found: MatchedRecord[]): boolean {
  const slugs = key.matches.map(({ slot }) => slot.field.slug);
  return found.length === 0 ? isDuplicateError(error, slugs) : found.length === 1 && isServiceNotFound(error);
}

export const upsert: Operation = {
  name: 'upsert',
  displayName: 'Create or Update',
  action: 'Create or update record',
  description:
    'Create a new record, or update the current one if it already exists (upsert). Only a unique column to match on prevents doubled records when several n8n processes or other clients write at the same time.',
  output: changedOutput,
  endpoints: withLookupEndpoints(
    recordEndpoints.listFiltered,
    recordEndpoints.create,
    recordEndpoints.update,
    recordEndpoints.get,
  ),
  parameters: [
    tableLocator,
    ...createColumnForm('upsert'),
    createOptions(
      ...updateOptions,
      ...formulaOptions,
      applyDefaultsOption,
      linkOption,
      severalMatchesOption,
      writeUnchangedOption,
    ),
  ],
  async run(item) {
    const table = await item.getTable(item.read(tableLocator));
    // A wrong link is an error before connected records are created.
    await readLink(item);
    const key = await readMatchKey(item, table);
    const lookup = getLookup(item);
    // The item enters the queue before its files are read, so a later item with the same key cannot overtake it.
    return lookup.runInOrder(item, table, key, async (found) => {
      const entries = await readRecordEntries(item, table);
      const write = (matches: MatchedRecord[]) =>
        matches.length > 0
          ? updateMatches(item, table, entries, selectMatches(item, key, matches))
          : createUnmatched(item, table, key, entries);
      return write(found).catch(async (error: unknown) => {
        if (!isLookupOutdated(error, key, found)) throw error;
        const matches = await lookup.findAnew(item, table, key);
        // The service hides the record, so a second attempt would fail too.
        if (isEqual(listIds(matches), listIds(found))) throw error;
        return write(matches);
      });
    });
  },
};
