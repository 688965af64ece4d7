/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports, no-console -- not shipped: runs on Node */
/**
 * `npm run n8n`: the embedded service with sample data and a real n8n with the package, an owner, the
 * credential and the example workflows in place. Ctrl-C stops both; a second start keeps the workflows.
 *
 * `npm run dev` is the same with `--watch`: a change of a source is built, and n8n reloads the nodes.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fillWithExamples } from '../test/e2e/examplesInN8n';
import { installN8n, installPackage } from '../test/e2e/n8n';
import { N8nApi, OWNER } from '../test/e2e/n8nApi';
import { N8nProcess } from '../test/e2e/n8nProcess';
import { startService } from '../test/service';
import { watchPackage } from './watchPackage';

const { values: settings } = parseArgs({
  options: {
    port: { type: 'string', default: '5678' },
    'service-port': { type: 'string', default: '8787' },
    folder: { type: 'string', default: join(__dirname, '..', '.cache', 'n8n') },
    watch: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  installN8n();
  const service = await startService({ port: Number(settings['service-port']) });
  const packageFolder = installPackage(settings.folder);
  console.log('… Starting n8n: half a minute at first');
  const n8n = await N8nProcess.start({
    port: Number(settings.port),
    userFolder: settings.folder,
    env: settings.watch ? { N8N_DEV_RELOAD: 'true' } : {},
  }).catch(async (error: Error) => {
    await service.stop();
    throw error;
  });
  const stopWatching = settings.watch ? watchPackage(packageFolder) : undefined;
  const stop = async () => {
    stopWatching?.();
    await n8n.stop();
    await service.stop();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop());
  console.log('… Filling it with the credential and the examples');
  const examples = await fillWithExamples(new N8nApi(n8n.url), service);
  console.log(`
  n8n       ${n8n.url}
  login     ${OWNER.email} / ${OWNER.password}
  service   ${service.baseUrl}, files at ${service.fileHost}
  keys      App ID ${service.keys.appId}, App Key ${service.keys.appKey}, App Secret ${service.keys.appSecret}
  user      ${service.user.email} / ${service.user.password}

  examples
    ${examples.join('\n    ')}

  Ctrl-C stops both. Your workflows are kept for the next start.`);
}

main().catch((error: Error) => {
  console.error(`Could not start n8n: ${error.message}`);
  process.exit(1);
});
