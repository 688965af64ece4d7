import { z } from 'zod';
import { createNumberShape, createTextShape } from './shapes';

/** Items about tasks, imports and exports, as they are with Simplify (spec: Resources). */

export const taskOutput = z.object(
  createTextShape('task_id name status data_table_id occurrence next_run_at type'),
);

/** The key that the item has whether or not the operation waits (spec: Tasks). */
export const startedTaskOutput = z.object(createTextShape('task_queue_id'));

/** Spec: Task queue entry. */
export const taskRunOutput = z.object({
  ...createTextShape('task_queue_id task_id'),
  ...createNumberShape('total_records total_record_proceed'),
  ...createTextShape('start_at run_type status'),
});

/** Spec: Import queue entry. */
export const importRunOutput = z.object({
  ...createTextShape('id status'),
  ...createNumberShape('total_rows processed_rows error_rows'),
  ...createTextShape('created_at'),
});

/** One upload of Run With Items: its ended run, the number of its items, and of those that were imported. */
export const importedItemsOutput = importRunOutput.extend({
  ...createTextShape('_completion'),
  ...createNumberShape('_items _imported'),
});

/** Spec: Export queue entry. Simplify flattens `dataTable` and `exportTemplate`. */
export const exportRunOutput = z.object({
  ...createTextShape('id dataTable_id dataTable_name exportTemplate_id exportTemplate_name status'),
  ...createNumberShape('complete'),
  ...createTextShape('start_date end_date download_url'),
});

/** An export that was waited for. `_completion` is `finished`, `failed`, `stopped` or `running`. */
export const endedExportOutput = exportRunOutput.extend(createTextShape('_completion'));
