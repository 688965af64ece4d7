import type { IDataObject } from 'n8n-workflow';
import { runSteps } from '../../../../shared/kit/operation/loop/runSteps';
import type { Result, RunMode } from '../../../../shared/kit/operation/operation';
import { asThrown } from '../../../../shared/model/input/asThrown';
import type { ServiceRecord } from '../../../../shared/model/responses/records';
import type { Client } from '../../../../shared/transport/client';
import { isServiceNotFound, mayHaveChanged } from '../../../../shared/transport/errors/apiError';
import { explainPartialRun } from '../write/explainPartialRun';
import { formatIds, keepOldRecords } from '../write/keepOldRecords';
import { CurrentRecords, type Recheck } from './currentRecords';
import { sendDelete } from './sendDelete';

export const RESTORE = 'To restore deleted records, give them to the operation Create.';

type Outcome = 'deleted' | 'notFound' | 'kept';

interface Deletion {
  outcome: Outcome;
  /** The record as it was last read. */
  record: ServiceRecord;
}

/** Deletes one record, unless it no longer exists or may no longer be deleted. */
async function deleteOne(
  client: Client,
  dataTableId: string,
  record: ServiceRecord,
  current: ServiceRecord | undefined,
  { mayDelete }: Recheck,
): Promise<Deletion> {
  // Another client deleted the record after the plan was made.
  if (!current) return { outcome: 'notFound', record };
  if (!mayDelete(current)) return { outcome: 'kept', record: current };
  try {
    await sendDelete(client, { dataTableId, recordId: record.id });
    return { outcome: 'deleted', record: current };
  } catch (error) {
    if (isServiceNotFound(error)) return { outcome: 'notFound', record: current };
    throw asThrown(error);
  }
}

/** What a deletion of several records does, and how it describes itself. */
export interface DeletionRun {
  tableId: string;
  records: ServiceRecord[];
  recheck: Recheck;
  /** Says after a failure how far the run came. */
  describeProgress?(deletedCount: number, error: unknown): string;
}

/** Records are as they were last read. */
export interface DeletionResults {
  /**
   * For each record that was not kept its values with `_action`: `deleted`, or `notFound` when it no longer existed; or a
   * failure with the values that are in no output.
   */
  results: Result[];
  deleted: ServiceRecord[];
  /** Records that changed during the run, so that they may no longer be deleted. */
  kept: ServiceRecord[];
}

/**
 * Deletes records, several at once. Each is read again shortly before; one that may no longer be deleted is kept, and a
 * hint names it.
 */
export async function deleteRecords(
  client: Client,
  mode: RunMode,
  { tableId, records, recheck, describeProgress }: DeletionRun,
): Promise<DeletionResults> {
  const current = new CurrentRecords(client, tableId, records, recheck);
  const steps = records.map((record, index) => ({ record, index }));
  const done = await runSteps(client, mode, steps, async ({ record, index }) =>
    deleteOne(client, tableId, record, await current.get(index), recheck),
  );
  const list = (wanted: Outcome) =>
    done.flatMap(({ value }) => (value?.outcome === wanted ? value.record : []));
  const deleted = list('deleted');
  const kept = list('kept');
  if (kept.length > 0) {
    client.notices.addHint(
      `${kept.length} of ${records.length} records were not deleted, because they changed during the run and ${recheck.reason}: ${formatIds(kept)}`,
    );
  }
  const explain = (error: unknown) => {
    if (mode.continuesOnFail) return '';
    if (describeProgress) return describeProgress(deleted.length, error);
    return `${deleted.length} of ${records.length} records were deleted. A repeated run deletes the others. To go on after a failure, set "On Error" in the node's settings.`;
  };
  const results = done.flatMap(({ step: { record }, value, error }): Result[] => {
    if (value?.outcome === 'kept') return [];
    if (value) return [{ json: { ...value.record, _action: value.outcome } as IDataObject }];
    if (error === undefined) return [];
    const explained = explainPartialRun(error, explain(error), `Record ${record.id}`);
    const lost = [...(mode.continuesOnFail ? [] : deleted), ...(mayHaveChanged(error) ? [record] : [])];
    return [{ error: keepOldRecords(explained, lost, RESTORE) }];
  });
  return { results, deleted, kept };
}
