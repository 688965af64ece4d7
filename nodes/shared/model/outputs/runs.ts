import { z } from 'zod';

/** Items about tasks, imports and exports, as they are with Simplify (spec: Resources). */

export const taskOutput = z.object({
  task_id: z.string(),
  name: z.string(),
  status: z.string(),
  data_table_id: z.string(),
  occurrence: z.string(),
  next_run_at: z.string(),
  type: z.string(),
});

/** The key that the item has whether or not the operation waits (spec: Tasks). */
export const startedTaskOutput = z.object({ task_queue_id: z.string() });

/** Spec: Task queue entry. */
export const taskRunOutput = z.object({
  task_queue_id: z.string(),
  task_id: z.string(),
  total_records: z.number(),
  total_record_proceed: z.number(),
  start_at: z.string(),
  run_type: z.string(),
  status: z.string(),
});

/** Spec: Import queue entry. */
export const importRunOutput = z.object({
  id: z.string(),
  status: z.string(),
  total_rows: z.number(),
  processed_rows: z.number(),
  error_rows: z.number(),
  created_at: z.string(),
});

/** One upload of Run With Items: its ended run, the number of its items, and of those that were imported. */
export const importedItemsOutput = importRunOutput.extend({
  _completion: z.string(),
  _items: z.number(),
  _imported: z.number(),
});

/** Spec: Export queue entry. Simplify flattens `dataTable` and `exportTemplate`. */
export const exportRunOutput = z.object({
  id: z.string(),
  dataTable_id: z.string(),
  dataTable_name: z.string(),
  exportTemplate_id: z.string(),
  exportTemplate_name: z.string(),
  status: z.string(),
  complete: z.number(),
  start_date: z.string(),
  end_date: z.string(),
  download_url: z.string(),
});

/** An export that was waited for. `_completion` is `finished`, `failed`, `stopped` or `running`. */
export const endedExportOutput = exportRunOutput.extend({ _completion: z.string() });
