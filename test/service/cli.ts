/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not shipped: runs on Node */
/** `tsx test/service/cli.ts [--port N] [--latency ms] [--profile met] [--minute N] [--day N]`: the service on loopback until Ctrl-C. */
import { parseArgs } from 'node:util';
import { parseProfile, startService } from './index';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      latency: { type: 'string', default: '0' },
      profile: { type: 'string', default: 'documented' },
      minute: { type: 'string', default: '240' },
      day: { type: 'string', default: '10000' },
    },
  });
  const service = await startService({
    port: Number(values.port),
    latencyMs: Number(values.latency),
    profile: parseProfile(values.profile),
    perMinute: Number(values.minute),
    perDay: Number(values.day),
  });
  const { keys, user } = service;
  console.log(`Record Database Service (${service.options.profile}) on ${service.baseUrl} (Ctrl-C ends it)

  App ID      ${keys.appId}
  App Key     ${keys.appKey}
  App Secret  ${keys.appSecret}
  User        ${user.email} / ${user.password}
  Tables      ${service.tables.map(({ name, records }) => `${name} (${records.size})`).join(', ')}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void service.stop());
}

void main();
