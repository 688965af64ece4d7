/* eslint-disable @n8n/community-nodes/require-node-api-error -- not shipped: runs on Node */
import '../environment';
import { sleep, WebhookPathTakenError } from 'n8n-workflow';

/** Repeats an action that fails. n8n waits 1 s, 2 s, 4 s, … in between, tests do not. A taken path is final. */
export async function attempt(attempts: number, action: () => Promise<void>) {
  for (let tries = 1; ; tries++) {
    try {
      return await action();
    } catch (error) {
      if (tries >= attempts || error instanceof WebhookPathTakenError) throw error;
      await sleep(1);
    }
  }
}
