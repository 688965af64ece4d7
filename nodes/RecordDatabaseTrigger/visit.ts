import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import type { Client } from '../shared/transport/client';
import type { Post, RecordChange, Refusal } from './delivery';
import type { Hook } from './hook';
import type { NotChecked } from './output';
import type { State } from './state';

/** One delivery on its way through the trigger. */
export interface Visit {
  context: IWebhookFunctions;
  client: Client;
  hook: Hook;
  state: State;
  change: RecordChange;
  post: Post;
  notChecked: NotChecked[];
}

/** Tells n8n that the answer is on its way already. */
export const ANSWERED: IWebhookResponseData = { noWebhookResponse: true };

/** Answers by ourselves: what webhook() throws would become a failed execution. */
export function answer(context: IWebhookFunctions, status: number, msg: string): IWebhookResponseData {
  const type = status < 300 ? 'success' : 'error';
  context.getResponseObject().status(status).json({ type, msg });
  return ANSWERED;
}

export function refuse(context: IWebhookFunctions, { status, reason }: Refusal): IWebhookResponseData {
  context.logger.warn(`Record Database Trigger: a delivery was refused: ${reason}`, { status });
  return answer(context, status, `Refused: ${reason}`);
}
