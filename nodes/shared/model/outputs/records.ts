import { z } from 'zod';

/**
 * Items of record operations. They hold what each record has; the other keys depend on the table (spec: Record).
 */
export const recordOutput = z.object({ id: z.string(), created_at: z.string() });

/** `_action` is `created`, `updated`, `unchanged` or `deleted`. */
export const changedOutput = z.object({ id: z.string(), _action: z.string() });

export const deletedOutput = z.object({ deleted: z.boolean(), id: z.string() });

export const countOutput = z.object({ count: z.number() });

/** Spec: Records, batch update and its check. */
export const batchOutput = z.object({ total: z.number(), msg: z.string() });

/** Spec: Layouts, pages and components, save. */
export const savedOutput = z.object({ id: z.string(), msg: z.string() });

/** Spec: Events. The keys are those of the trigger's item. */
export const eventOutput = z.object({
  event: z.string(),
  tableId: z.string(),
  tableName: z.string(),
  record: recordOutput,
  timestamp: z.string(),
});

/** An item of the polling trigger, with the default of its parameter Output. A log entry has its own keys. */
export const polledEventOutput = z.object({
  event: z.string(),
  tableId: z.string(),
  record: recordOutput,
  timestamp: z.string(),
  _eventId: z.string(),
});
