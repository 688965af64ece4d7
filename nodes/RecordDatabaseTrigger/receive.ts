import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { InputError } from '../shared/model/inputError';
import { Client } from '../shared/transport/client';
import { toNodeError } from '../shared/transport/errors';
import { judge, type Verdict } from './authenticity';
import { hashOf, isRefusal, readPost, type Post, type RecordChange, type Refusal } from './delivery';
import type { Hook } from './hook';
import { memoryOf, type Memory } from './memory';
import { itemOf, keepColumns, withDisplayNames, type NotChecked } from './output';
import { isSameRecord, readBack } from './readBack';
import { fieldsOf, matcherFor, needsFields } from './recordFilter';
import { ApiSubscriptions } from './service';
import { eventsOf, hookOf, listOf, maxBytesOf, nodeKey, optionsOf, tablesOf, type Options } from './settings';
import { readState, writeState, type State } from './state';

/** One delivery on its way through the trigger. */
interface Visit {
  context: IWebhookFunctions;
  client: Client;
  hook: Hook;
  state: State;
  options: Options;
  change: RecordChange;
  post: Post;
  notChecked: NotChecked[];
}

const HANDLED: IWebhookResponseData = { noWebhookResponse: true };

/** Answers by ourselves: what webhook() throws would become a failed execution. */
function answer(context: IWebhookFunctions, status: number, msg: string): IWebhookResponseData {
  const type = status < 300 ? 'success' : 'error';
  context.getResponseObject().status(status).json({ type, msg });
  return HANDLED;
}

function refuse(context: IWebhookFunctions, { status, reason }: Refusal): IWebhookResponseData {
  context.logger.warn(`Record Database Trigger: a delivery was refused: ${reason}`, { status });
  return answer(context, status, `Refused: ${reason}`);
}

function postOf(context: IWebhookFunctions): Post {
  const { rawBody, headers } = context.getRequestObject();
  return {
    body: context.getBodyData(),
    raw: rawBody,
    announcedBytes: Number(headers['content-length']) || 0,
  };
}

function verdictOn({ context, client, hook, state, change }: Visit): Promise<Verdict> {
  const { token } = context.getQueryData() as { token?: unknown };
  const { path } = context.getRequestObject();
  const given = typeof token === 'string' ? token : token === undefined ? undefined : '';
  const service = new ApiSubscriptions(client);
  return judge(
    { change, token: given, path, node: nodeKey(context), dropsToken: state.dropsToken },
    hook,
    (tableId) => service.list([tableId]),
    performance.now(),
  );
}

/** Whether the trigger is set to this event; it may still come in for a while after an edit. */
const isWanted = ({ context, change }: Visit): boolean =>
  tablesOf(context).includes(change.tableId) && eventsOf(context).includes(change.event);

/** Takes note of the delivery; false for one that was here before. */
function isNew({ context, hook, change, post, options, notChecked }: Visit, memory: Memory): boolean {
  if (options.ignoreDuplicates === false) return true;
  const hash = hashOf(change, post.raw);
  if (hash === undefined) return notChecked.push('duplicates') > 0;
  if (!memory.add(hash)) return false;
  writeState(context.getWorkflowStaticData('node'), hook.owner, { seen: memory.recent() });
  return true;
}

/** The delivered record, or the one at the service where the options ask for it. */
async function recordOf(visit: Visit): Promise<Record<string, unknown> | undefined> {
  const { client, options, change, notChecked } = visit;
  const isGone = change.event === 'DELETE';
  if (isGone || !(options.verify || options.fullRecord)) return change.record;
  if (options.verify) {
    const held = await readBack(client, change);
    return held && isSameRecord(change.record, held) ? held : undefined;
  }
  const held = await readBack(client, change).catch(() => undefined);
  if (!held) notChecked.push('fullRecord');
  return held ?? change.record;
}

/** What happens to a genuine, new delivery. Throws where the user must know: then it becomes a failed run. */
async function work(visit: Visit): Promise<IWebhookResponseData> {
  const { context, client, state, options, change } = visit;
  const shape = String(context.getNodeParameter('output', 'event'));
  const table = needsFields(context) ? await fieldsOf(state, client, change.tableId) : undefined;
  const matches = table ? matcherFor(context, table) : () => true;
  if (!matches(change.record)) return answer(context, 200, 'Received; it does not match the filter');
  // Only a verification may still refuse; otherwise nothing keeps the service waiting.
  if (!options.verify) answer(context, 200, 'Received');
  const record = await recordOf(visit);
  if (!record) return refuse(context, { status: 410, reason: 'the service holds no such record' });
  if (options.verify) {
    // What decides is what the service holds, not what was delivered.
    if (!matches(record)) return answer(context, 200, 'Received; the record no longer matches the filter');
    answer(context, 200, 'Received');
  }
  const columns = listOf(options.columns);
  const fields = table?.fields ?? [];
  const kept = columns.length > 0 ? keepColumns(record, columns, fields) : record;
  const named = options.displayNames ? withDisplayNames(kept, fields) : kept;
  const json = itemOf(change, named, shape, visit.notChecked) as IDataObject;
  return { ...HANDLED, workflowData: [[{ json }]] };
}

/** Names an authentic event that could not be worked on, so that it can be found again. */
function lost({ event, tableId, recordId }: RecordChange, error: unknown): unknown {
  if (!(error instanceof InputError)) return error;
  return new InputError(
    error.message,
    `${error.remedy} (${event} of record ${recordId} in table ${tableId})`,
  );
}

/**
 * One POST of the service (spec: Events), from its bytes to the item that starts the workflow. Checked in
 * this order: size, shape, token, table and event, repetition, filter, and the record where it is to be
 * verified. What fails is answered with a status and starts nothing. An authentic event that cannot be
 * worked on (a filter on a field that was removed, a record that cannot be read for its verification)
 * is thrown instead: it shows as a failed execution, n8n answers 500, and a repetition is taken again.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
  const options = optionsOf(context);
  const post = postOf(context);
  const change = readPost(post, maxBytesOf(options));
  if (isRefusal(change)) return refuse(context, change);
  const client = await Client.for(context);
  const hook = hookOf(context, client);
  const state = readState(context.getWorkflowStaticData('node'), hook.owner);
  const visit: Visit = { context, client, hook, state, options, change, post, notChecked: [] };

  const verdict = await verdictOn(visit).catch(() => undefined);
  if (!verdict) return refuse(context, { status: 503, reason: 'its token could not be checked just now' });
  if (verdict === 'forged') return refuse(context, { status: 401, reason: 'its token is missing or wrong' });
  if (verdict === 'unchecked') visit.notChecked.push('token');
  if (!isWanted(visit)) return refuse(context, { status: 410, reason: 'nobody listens to this event' });
  const memory = memoryOf(`${hook.owner}/${context.getMode()}`, state.seen);
  if (!isNew(visit, memory)) return answer(context, 200, 'Received before');
  return work(visit).catch((error: unknown) => {
    const hash = hashOf(change, post.raw);
    if (hash !== undefined) memory.forget(hash);
    throw toNodeError(context.getNode(), lost(change, error));
  });
}
