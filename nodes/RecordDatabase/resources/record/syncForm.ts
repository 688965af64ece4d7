/** The form of Sync, and its checks before the first change. */
import { applyDefaultsOption, valueOptions } from '../../../n8n/columns/columnForm';
import { ItemValues } from '../../../n8n/columns/itemValues';
import {
  withFilterMode,
  filterForm,
  filterModeParameter,
  filterParametersOption,
} from '../../../n8n/filter/filterForm';
import { hideUntilPicked } from '../../../n8n/lists/tablePickers';
import { dryRunOption } from '../../../n8n/operation/bulkChange';
import { type Item, type Items, iterateWithPauses } from '../../../n8n/operation/item';
import { outputForm } from '../../../n8n/operation/recordOutput';
import {
  type ParameterDefinition,
  createOptions,
  defineParameter,
  showWhen,
} from '../../../n8n/parameters/parameter';
import { type TableSyncPlan, runInTurn, type Table } from '../../../records';
import { type Client, formatForError, InputError } from '../../../service';
import { formulaOption } from './formulas';
import { parentOption } from './link';

export const outputParameter = defineParameter({
  displayName: 'Output',
  name: 'output',
  type: 'options',
  default: 'changes',
  options: [
    {
      name: 'One Item per Change',
      value: 'changes',
      description:
        'Each record that was created, updated, deleted or kept; deleted ones with their old values',
    },
    { name: 'Summary', value: 'summary', description: 'One item with the number of changes of each kind' },
  ],
});

export const deletionParameter = defineParameter({
  displayName: 'Delete Missing Records',
  name: 'deleteMissing',
  type: 'boolean',
  default: false,
  description:
    'Whether to delete records that are missing from the input. The input must have all items: the node refuses to delete in a loop, in a second run and with "Execute Once".',
});

export const maximumDeletionsParameter = defineParameter({
  displayName: 'Maximum Deletions',
  name: 'maximumDeletions',
  type: 'string',
  default: '',
  placeholder: 'e.g. 50 or 20%',
  description:
    'Nothing is changed when more records than this would be deleted: a number, or a share of the records that may be deleted',
  hint: 'Empty: 3 records or a fifth, whichever is more',
});

const maximumChangesOption = defineParameter({
  displayName: 'Maximum Changes',
  name: 'maximumChanges',
  type: 'number',
  typeOptions: { minValue: 0 },
  default: 1000,
  description:
    'Nothing is changed when more records than this would be created, updated and deleted, connected records included',
});

const showForDeletion = (parameter: ParameterDefinition): ParameterDefinition =>
  showWhen(parameter, { deleteMissing: [true] });

/** Limits only the deletions: records with the keys of items are found in the whole table. */
const deletionFilterParameters = withFilterMode(filterForm, {
  displayName: 'Delete Only Records That Match',
  default: 'none',
  description: 'Which records may be deleted. Records that do not match stay, even if the input lacks them.',
  options: filterModeParameter.options.map((option) =>
    option.value === 'none'
      ? { ...option, name: 'No Filter', description: 'Any missing record may be deleted' }
      : option,
  ),
}).map(showForDeletion);

/** Sync makes connections equal to the item, so it offers no Change of Connections. */
export const perItemOptions: ParameterDefinition[] = [
  applyDefaultsOption,
  ...valueOptions,
  formulaOption,
  parentOption,
];

export const syncParameters: ParameterDefinition[] = [
  ...hideUntilPicked('dataTableId', [deletionParameter]),
  ...deletionFilterParameters,
  showForDeletion(maximumDeletionsParameter),
  outputParameter,
  ...outputForm.map((parameter) => showWhen(parameter, { output: ['changes'] })),
  createOptions(
    dryRunOption,
    maximumChangesOption,
    ...perItemOptions,
    showWhen(filterParametersOption, { '/deleteMissing': [true] }),
  ),
];

async function readSyncEntries(item: Item, table: Table) {
  const values = new ItemValues(item, table, {
    allowsRefused: true,
    filesRemedy: 'Files cannot be compared. Leave the field out, and write files with Create or Update.',
  });
  const { preview: entries, missing } = await values.prepareEntries();
  return { entries, missing };
}

export async function* listSyncInputs(items: Items, table: Table) {
  for await (const item of iterateWithPauses(items))
    yield { index: item.index, read: () => readSyncEntries(item, table) };
}

/** If Maximum Deletions is empty, it is the larger of 3 records and 20% of the deletable ones, but never all. */
const DEFAULT_MAX_DELETIONS = 3;
const DEFAULT_DELETION_PERCENT = 20;

/**
 * `run` compares items with whole tables, so it waits until all earlier calls for these tables in this process have
 * ended. @param tableIds sorted, so that two runs never wait for each other
 */
export const runInTableQueue = <T>(client: Client, tableIds: string[], run: () => Promise<T>): Promise<T> =>
  tableIds.reduceRight((next, id) => () => runInTurn(client, ['table', id], next), run)();

/** @returns why the input may lack items; undefined if it has all of them */
function explainIncompleteInput(items: Items): string | undefined {
  const { context } = items.get(0);
  const { name, executeOnce } = items.node;
  if (executeOnce) return 'the node has the setting "Execute Once", so it receives only the first item';
  // An earlier run of the node did not have these items, and may have deleted their records.
  if (Number(context.getWorkflowDataProxy(0).$runIndex) > 0)
    return 'the node ran before in this execution, and Undo takes what it changed';
  const descendants = new Set(context.getChildNodes(name).map((node) => node.name));
  const isInLoop = context.getParentNodes(name).some((node) => descendants.has(node.name));
  return isInLoop ? 'the node is in a loop' : undefined;
}

/**
 * Refuses a part of the input, for changes that need all items. The check does not notice items that an earlier node
 * removed: then Maximum Deletions limits the deletions.
 * @param why what would go wrong if the changes were made in parts
 */
export function ensureWholeInput(items: Items, subject: string, why: string): void {
  const reason = explainIncompleteInput(items);
  if (reason === undefined) return;
  throw new InputError(
    `${subject}: ${reason}`,
    `Nothing was sent, because ${why}. Collect all items first: turn off "Execute Once", place the node behind the output "done" of a loop, or join several connections with a Merge node.`,
  );
}

const calculateShare = (count: number, percent: number): number => Math.floor((count * percent) / 100);

/** @param text a number, a share such as `20%`, or ''. @throws InputError for any other text */
export function parseMaximumDeletions(text: string, deletableCount = 0): { allowed: number; rule: string } {
  if (text === '') {
    const allowed = Math.max(DEFAULT_MAX_DELETIONS, calculateShare(deletableCount, DEFAULT_DELETION_PERCENT));
    return allowed < deletableCount || deletableCount === 0
      ? { allowed, rule: `the larger of ${DEFAULT_MAX_DELETIONS} records and ${DEFAULT_DELETION_PERCENT}%` }
      : { allowed: deletableCount - 1, rule: 'never all of them' };
  }
  if (/^\d{1,9}$/.test(text)) return { allowed: Number(text), rule: 'as set' };
  const [, share] = /^(\d{1,3}(?:\.\d{1,3})?) ?%$/.exec(text) ?? [];
  const percent = Number(share);
  if (share !== undefined && percent <= 100)
    return { allowed: calculateShare(deletableCount, percent), rule: `${share}%` };
  throw new InputError(
    `Maximum Deletions cannot be ${formatForError(text)}`,
    `Nothing was sent. Give a number of records, such as 50, or a share of the records that may be deleted, such as 20%. Leave it empty for the larger of ${DEFAULT_MAX_DELETIONS} records and ${DEFAULT_DELETION_PERCENT}%, and never all of them.`,
  );
}

/** Shows a hint for a dry run, which changes nothing. @throws InputError if the run is no dry run */
export function refuseExcessChanges(
  item: Item,
  isDry: boolean,
  text: { message: string; description: string },
): void {
  const { message, description } = text;
  if (!isDry)
    throw new InputError(message, `Nothing was changed. "Dry Run" returns the plan. ${description}`);
  item.client.notices.addHint(`${message}. Without "Dry Run", nothing would be changed. ${description}`);
}

export function checkChangeLimit(item: Item, { creates, updates, deletes }: TableSyncPlan, isDry: boolean) {
  const connected = new Set([...creates, ...updates].flatMap(({ missing = [] }) => missing)).size;
  const changes = creates.length + updates.length + deletes.length + connected;
  const maximum = item.readOption(maximumChangesOption) ?? Infinity;
  if (changes <= maximum) return;
  const more = connected > 0 ? `, ${connected} connected records to create` : '';
  refuseExcessChanges(item, isDry, {
    message: `There are ${changes} changes, more than Maximum Changes (${maximum}): ${creates.length} to create, ${updates.length} to update, ${deletes.length} to delete${more}`,
    description: 'Raise the maximum, if these changes are to be made.',
  });
}

export function checkDeletionLimit(item: Item, { deletes, deletableCount }: TableSyncPlan, isDry: boolean) {
  const { allowed, rule } = parseMaximumDeletions(item.read(maximumDeletionsParameter), deletableCount);
  const count = deletes.length;
  const percent = Math.ceil((100 * count) / Math.max(deletableCount, 1));
  const text = `${count} of ${deletableCount} records would be deleted, and Maximum Deletions allows ${allowed} (${rule})`;
  if (count > allowed)
    refuseExcessChanges(item, isDry, {
      message: text,
      description: `The input may lack items: check it. To allow these deletions, set Maximum Deletions to ${count} or ${percent}%.`,
    });
  else if (isDry) item.client.notices.addHint(`${text}.`);
  return { inScope: deletableCount, allowedDeletions: allowed };
}
