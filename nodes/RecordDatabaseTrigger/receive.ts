import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { InputError } from '../shared/model/inputError';
import { Client } from '../shared/transport/client';
import { ApiFailure } from '../shared/transport/errors';
import { toNodeError } from '../shared/transport/nodeError';
import { judge, type Verdict } from './authenticity';
import { isRefusal, readPost, type Post, type RecordChange } from './delivery';
import type { Hook } from './hook';
import { ApiSubscriptions } from './service';
import { eventsOf, hookOf, maxBytesOf, nodeKey, safely, tablesOf } from './settings';
import { readState } from './state';
import { refuse, type Visit } from './visit';
import { workOnce } from './work';

function postOf(context: IWebhookFunctions): Post {
  const { rawBody, headers } = context.getRequestObject();
  return {
    body: context.getBodyData(),
    raw: rawBody,
    announcedBytes: Number(headers['content-length']) || 0,
  };
}

/** Whether the trigger is set to this event; it may still come in for a while after an edit. */
const isWanted = ({ context, change }: Visit): boolean =>
  safely(() => tablesOf(context).includes(change.tableId) && eventsOf(context).includes(change.event), false);

function verdictOn(visit: Visit): Promise<Verdict> {
  const { context, client, hook, state, change } = visit;
  const { token } = context.getQueryData() as { token?: unknown };
  return judge(
    {
      change,
      // Given twice it is an array, which is no token.
      token: token === undefined || typeof token === 'string' ? token : '',
      path: context.getRequestObject().path,
      node: nodeKey(context),
      dropsToken: state.dropsToken,
      isWanted: isWanted(visit),
    },
    hook,
    (tableId) => new ApiSubscriptions(client).list([tableId]),
    performance.now(),
  );
}

/** @throws where the credential is incomplete or gone */
async function identify(context: IWebhookFunctions): Promise<{ client: Client; hook: Hook }> {
  const client = await Client.for(context);
  return { client, hook: hookOf(context, client) };
}

/** Names an authentic event that could not be worked on, so that it can be found again. */
function lost({ event, tableId, recordId }: RecordChange, error: unknown): unknown {
  const which = `The event was ${event} of record ${recordId} in table ${tableId}.`;
  if (error instanceof InputError) return new InputError(error.message, `${error.remedy} ${which}`);
  if (!(error instanceof ApiFailure)) return error;
  const { message, description } = error.explanation;
  return error.explainedAs({ message, description: `${description} ${which}` });
}

/**
 * One POST of the service (spec: Events), from its bytes to the item that starts the workflow. Checked in
 * this order: size, shape, token, table and event, repetition, filter, and the record where it is to be
 * verified. What fails is answered with a status and starts nothing. An authentic event that cannot be
 * worked on (a filter on a field that was removed, a record that cannot be read for its verification)
 * is thrown instead: it shows as a failed execution, n8n answers 500, and a repetition is taken again.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
  const post = postOf(context);
  const change = readPost(post, maxBytesOf(context));
  if (isRefusal(change)) return refuse(context, change);
  const identity = await identify(context).catch(() => undefined);
  if (!identity) return refuse(context, { status: 503, reason: 'the credential cannot be used' });
  const state = readState(context.getWorkflowStaticData('node'), identity.hook.owner);
  const visit: Visit = { context, ...identity, state, change, post, notChecked: [] };

  const verdict = await verdictOn(visit).catch(() => undefined);
  if (!verdict) return refuse(context, { status: 503, reason: 'its token could not be checked just now' });
  if (verdict === 'forged') return refuse(context, { status: 401, reason: 'its token is missing or wrong' });
  if (!isWanted(visit)) return refuse(context, { status: 410, reason: 'nobody listens to this event' });
  if (verdict === 'unchecked') visit.notChecked.push('token');
  return workOnce(visit).catch((error: unknown) => {
    throw toNodeError(context.getNode(), lost(change, error));
  });
}
