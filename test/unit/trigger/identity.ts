import { Hook } from '../../../nodes/RecordDatabaseTrigger/hook';
import type { Subscription } from '../../../nodes/shared/model/responses';

export const identity = {
  instanceId: 'n8n',
  node: 'w1',
  baseUrl: 'https://db.example',
  appId: 'app',
  appSecret: 'secret',
};
export const hook = new Hook(identity);
export const URL_HERE = 'https://n8n.example/webhook/w1/webhook';
export const row = (more: Partial<Subscription> = {}): Subscription => ({
  id: 's1',
  data_table_id: 't1',
  type: 'INSERT',
  hookUrl: hook.address(URL_HERE, 't1', 'INSERT'),
  platform: 'n8n',
  ...more,
});
