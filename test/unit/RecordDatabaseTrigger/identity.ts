import { WebhookIdentity } from '../../../nodes/RecordDatabaseTrigger/authenticate';
import type { Subscription } from '../../../nodes/service';

export const identity = {
  instanceId: 'n8n',
  nodeKey: 'w1',
  baseUrl: 'https://db.example',
  appId: 'app',
  appSecret: 'secret',
};
export const webhookIdentity = new WebhookIdentity(identity);
export const WEBHOOK_URL = 'https://n8n.example/webhook/w1/webhook';
export const createSubscription = (more: Partial<Subscription> = {}): Subscription => ({
  id: 's1',
  data_table_id: 't1',
  type: 'INSERT',
  hookUrl: webhookIdentity.buildHookUrl(WEBHOOK_URL, 't1', 'INSERT'),
  platform: 'n8n',
  ...more,
});
