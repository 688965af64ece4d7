import { z } from 'zod';

/** The keys and types of an output item. */
export type OutputSchema = z.ZodObject<z.ZodRawShape>;

/** The keys in a text such as `'id name'`. */
type KeysIn<Text extends string> = Text extends `${infer Key} ${infer Rest}` ? Key | KeysIn<Rest> : Text;

const createShape = <Keys extends string, Value>(keys: Keys, value: Value) =>
  Object.fromEntries(keys.split(' ').map((key) => [key, value])) as Record<KeysIn<Keys>, Value>;

/** Creates the keys of an item whose values are text. `keys` are separated by spaces. */
const createTextShape = <Keys extends string>(keys: Keys): Record<KeysIn<Keys>, z.ZodString> =>
  createShape(keys, z.string());

/** Creates the keys of an item whose values are numbers. `keys` are separated by spaces. */
const createNumberShape = <Keys extends string>(keys: Keys): Record<KeysIn<Keys>, z.ZodNumber> =>
  createShape(keys, z.number());

/** Items about an application: its tables, fields, roles, subscriptions and API key (spec: Resources). */

const tableOutput = z.object(createTextShape('id name'));

/** `order` and what follows say how the tables are filled. */
const describedTableOutput = z.object({
  order: z.number(),
  ...createTextShape('id name'),
  ...createShape('fillAfter cycle connectLater', z.array(z.string())),
  fields: z.array(z.object(createTextShape('slug name type'))),
});

/** Spec: Field, full. */
const fieldOutput = z.object({
  ...createTextShape('slug fieldId name type description default_value is_unique'),
  options: z.array(z.object(createTextShape('label value'))),
  join: z.object(createTextShape('join_type data_table_id field_slug field_id')),
});

const roleOutput = z.object(createTextShape('id name description enable_stripe'));

/** Spec: Webhook subscription. */
const webhookOutput = z.object(createTextShape('id data_table_id type hookUrl platform'));

/** Spec: Webhooks, subscribe. */
const subscribedOutput = z.object(createTextShape('id msg'));

const PERMISSIONS = 'read create update delete tasks pages imports exports logs pdf_forms pdf_pages'.split(
  ' ',
);

const createLimitShape = (name: string) =>
  createNumberShape(`${name}_allowed ${name}_remaining ${name}_resets_in_seconds ${name}_reset_timestamp`);

/** Spec: API status record. Nested keys are joined with an underscore. */
const keyStatusOutput = z.object({
  current_code: z.number(),
  ...createTextShape('api_key_id api_key_status api_key_created_at'),
  ...Object.fromEntries(PERMISSIONS.map((name) => [`permissions_${name}`, z.boolean()])),
  ...createLimitShape('per_minute_limit'),
  ...createLimitShape('per_day_limit'),
});

/** What the entries of all eight logs have (spec: Logs). */
const logEntryOutput = z.object(createTextShape('created_at'));

/** Keys that each documented form of a page has (spec: Page). */
const pageOutput = z.object(createTextShape('id name slug'));

/** Spec: Component. */
const componentOutput = z.object({
  ...createTextShape('id name type table_id'),
  settings: z.object({}),
});

/**
 * Items of record operations. They hold what each record has; the other keys depend on the table (spec: Record).
 */
const recordOutput = z.object({ id: z.string(), created_at: z.string() });

/** Beside the record stand the fields of the input. An item without a record has null. */
const lookedUpOutput = z.object({ record: z.object({ id: z.string() }) });

/** `_action` is `created`, `updated`, `unchanged` or `deleted`. */
const changedOutput = z.object({ _action: z.string(), _tableId: z.string(), id: z.string() });

const deletedOutput = z.object({ deleted: z.boolean(), id: z.string() });

const deletedRecordOutput = z.object({ _action: z.string(), ...deletedOutput.shape });

const countOutput = z.object({ count: z.number() });

/** Spec: Records, batch update and its check. */
const batchOutput = z.object({ total: z.number(), msg: z.string() });

/** An item of the webhook trigger, with the default of its parameter Output. */
export const eventOutput = z.object({ ...createTextShape('_event _table'), ...recordOutput.shape });

/** An item of the polling trigger, with the default of its parameter Output. A log entry has its own keys. */
export const polledEventOutput = eventOutput.extend(createTextShape('_eventId'));

/** Items about tasks, imports and exports, as they are with Simplify (spec: Resources). */

const taskOutput = z.object(createTextShape('task_id name status data_table_id occurrence next_run_at type'));

/** The key that the item has whether or not the operation waits (spec: Tasks). */
const startedTaskOutput = z.object(createTextShape('task_queue_id'));

/** Spec: Task queue entry. */
const taskRunOutput = z.object({
  ...createTextShape('task_queue_id task_id'),
  ...createNumberShape('total_records total_record_proceed'),
  ...createTextShape('start_at run_type status'),
});

/** Spec: Import queue entry. */
const importRunOutput = z.object({
  ...createTextShape('id status'),
  ...createNumberShape('total_rows processed_rows error_rows'),
  ...createTextShape('created_at'),
});

/** The upload of Run With Items: its ended run, and the number of its items, which were all imported. */
const importedItemsOutput = importRunOutput.extend({
  ...createTextShape('_completion'),
  ...createNumberShape('_imported'),
});

/** Spec: Export queue entry. Simplify flattens `dataTable` and `exportTemplate`. */
const exportRunOutput = z.object({
  ...createTextShape('id dataTable_id dataTable_name exportTemplate_id exportTemplate_name status'),
  ...createNumberShape('complete'),
  ...createTextShape('start_date end_date download_url'),
});

/** An export that was waited for. `_completion` is `finished`, `failed`, `stopped` or `running`. */
const endedExportOutput = exportRunOutput.extend(createTextShape('_completion'));

/** Items about logins of users (spec: User authentication). */

const loginTokenOutput = z.object(createTextShape('token user_id expires_at logged_in_since'));

const sessionStatusOutput = z.object({
  valid: z.boolean(),
  ...createTextShape('expires_at time_remaining'),
});

const magicLinkOutput = z.object(createTextShape('token magicLinkUrl'));

/**
 * The keys of each output item, where the spec or the operation defines them, by `<folder of the node> <resource>
 * <operation>`. n8n shows them in the next node before the first run; without an entry, it shows nothing until then. The
 * spec does not define the runs of automations.
 */
export const OUTPUTS: Record<string, OutputSchema> = {
  'RecordDatabase record getAll': recordOutput,
  'RecordDatabase record get': recordOutput,
  'RecordDatabase record create': changedOutput,
  'RecordDatabase record upsert': changedOutput,
  'RecordDatabase record lookUp': lookedUpOutput,
  'RecordDatabase record update': changedOutput,
  'RecordDatabase record delete': deletedRecordOutput,
  'RecordDatabase record batchUpdate': batchOutput,
  'RecordDatabase record sync': changedOutput,
  'RecordDatabase record undo': changedOutput,
  'RecordDatabase record deleteMany': changedOutput,
  'RecordDatabase record count': countOutput,
  'RecordDatabase dataTable getAll': tableOutput,
  'RecordDatabase dataTable describe': describedTableOutput,
  'RecordDatabase field getAll': fieldOutput,
  'RecordDatabase webhook getAll': webhookOutput,
  'RecordDatabase webhook subscribe': subscribedOutput,
  'RecordDatabase webhook unsubscribe': deletedOutput,
  'RecordDatabase apiKey getStatus': keyStatusOutput,
  'RecordDatabaseImportExport import runItems': importedItemsOutput,
  'RecordDatabaseImportExport import getRuns': importRunOutput,
  'RecordDatabaseImportExport export run': endedExportOutput,
  'RecordDatabaseImportExport export getRuns': exportRunOutput,
  'RecordDatabaseLogs log getAll': logEntryOutput,
  'RecordDatabasePages page get': pageOutput,
  'RecordDatabasePages page getAll': pageOutput,
  'RecordDatabasePages page getChildren': pageOutput,
  'RecordDatabasePages component getAll': componentOutput,
  'RecordDatabasePages component getRecords': recordOutput,
  'RecordDatabasePages component save': changedOutput,
  'RecordDatabaseTasks task run': startedTaskOutput,
  'RecordDatabaseTasks task getRuns': taskRunOutput,
  'RecordDatabaseTasks task getAll': taskOutput,
  'RecordDatabaseUsers session createMagicLink': magicLinkOutput,
  'RecordDatabaseUsers session getStatus': sessionStatusOutput,
  'RecordDatabaseUsers session login': loginTokenOutput,
  'RecordDatabaseUsers role getAll': roleOutput,
};

/** Items of triggers, which have neither a resource nor an operation, by the folder of the node. */
export const TRIGGER_OUTPUTS: Record<string, OutputSchema> = {
  RecordDatabasePollingTrigger: polledEventOutput,
  RecordDatabaseTrigger: eventOutput,
};
