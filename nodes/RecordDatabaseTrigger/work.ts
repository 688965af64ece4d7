import type { IDataObject, IWebhookResponseData } from 'n8n-workflow';
import { hashOf } from './delivery';
import { memoryOf } from './memory';
import { itemOf, keepColumns, slugOf, withDisplayNames } from './output';
import { isSameRecord, readBack } from './readBack';
import { fieldsOf, matcherFor, needsFields } from './recordFilter';
import { columnsOf, optionsOf, type Options } from './settings';
import { writeState } from './state';
import { ANSWERED, answer, refuse, type Visit } from './visit';

/** The delivered record, or the one at the service where the options ask for it; none if it is not there. */
async function recordOf(
  { client, change, notChecked }: Visit,
  { verify, fullRecord }: Options,
): Promise<Record<string, unknown> | undefined> {
  if (change.event === 'DELETE' || !(verify || fullRecord)) return change.record;
  if (verify) {
    const held = await readBack(client, change);
    return held && isSameRecord(change.record, held) ? held : undefined;
  }
  const held = await readBack(client, change).catch(() => undefined);
  if (!held) notChecked.push('fullRecord');
  return held ?? change.record;
}

/** A delivery whose record the service does not hold: forged, or ahead of its record. */
class NoSuchRecord extends Error {}

/** From a genuine delivery to the item that starts the workflow. Throws only before it has answered. */
async function work(visit: Visit, options: Options): Promise<IWebhookResponseData> {
  const { context, change } = visit;
  const shape = String(context.getNodeParameter('output', 'event'));
  const table = needsFields(context) ? await fieldsOf(visit) : undefined;
  const matches = table ? matcherFor(context, table) : () => true;
  if (!matches(change.record)) return answer(context, 200, 'Received; it does not match the filter');
  // Only a verification may still refuse; otherwise nothing keeps the service waiting.
  if (!options.verify) answer(context, 200, 'Received');
  const record = await recordOf(visit, options);
  if (!record) throw new NoSuchRecord();
  if (options.verify) {
    // What decides is what the service holds, not what was delivered.
    if (!matches(record)) return answer(context, 200, 'Received; the record does not match the filter');
    answer(context, 200, 'Received');
  }
  const fields = table?.fields ?? [];
  const columns = columnsOf(context).map((name) => slugOf(name, fields));
  const kept = columns.length > 0 ? keepColumns(record, columns, fields) : record;
  const named = options.displayNames ? withDisplayNames(kept, fields) : kept;
  return {
    ...ANSWERED,
    workflowData: [[{ json: itemOf(change, named, shape, visit.notChecked) as IDataObject }]],
  };
}

/** What is being verified, by hook and content: what becomes of it decides about its repetition. */
const underWay = new Map<string, Promise<unknown>>();

/** Works on a genuine delivery, unless it was here before. One that fails or is refused may come again. */
async function workUnlessSeen(visit: Visit, options: Options): Promise<IWebhookResponseData> {
  const { context, hook, state, change, post, notChecked } = visit;
  const ignoresDuplicates = options.ignoreDuplicates !== false;
  const hash = ignoresDuplicates ? hashOf(change, post.raw) : undefined;
  if (hash === undefined) {
    if (ignoresDuplicates) notChecked.push('duplicates');
    return work(visit, options);
  }
  const owner = `${hook.owner}/${context.getMode()}`;
  const key = `${owner}/${hash}`;
  while (underWay.has(key)) await underWay.get(key);
  const memory = memoryOf(owner, state.seen);
  if (!memory.add(hash)) return answer(context, 200, 'Received before');
  const working = work(visit, options);
  if (options.verify) {
    const over = working.then(
      () => underWay.delete(key),
      () => underWay.delete(key),
    );
    underWay.set(key, over);
  }
  const result = await working.catch((error: unknown) => {
    memory.forget(hash);
    throw error;
  });
  memory.keep(hash);
  writeState(context.getWorkflowStaticData('node'), hook.owner, { seen: memory.recent() });
  return result;
}

export async function workOnce(visit: Visit): Promise<IWebhookResponseData> {
  return workUnlessSeen(visit, optionsOf(visit.context)).catch((error: unknown) => {
    if (!(error instanceof NoSuchRecord)) throw error;
    return refuse(visit.context, { status: 410, reason: 'the service holds no such record' });
  });
}
