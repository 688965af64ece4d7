/* eslint-disable @n8n/community-nodes/no-restricted-globals, no-console -- not shipped: runs on Node */
/** `npm run release -- --start <tarball>`: starts n8n with the tarball, and reads the service with its credential. */
import manifest from '../../package.json';
import { endAll, type Ends, startInstallation, startN8n } from './installation';
import { installN8n } from './n8n';

const PORT = 19_300;

/** The name that n8n gives to the type of a file, such as `dist/nodes/RecordDatabase/RecordDatabase.node.js`. */
function nameType(file: string): string {
  const [name = ''] = file.split('/').at(-1)!.split('.');
  return `${manifest.name}.${name[0]!.toLowerCase()}${name.slice(1)}`;
}

async function start(tarball: string, ends: Ends): Promise<void> {
  installN8n();
  await startN8n(PORT, ends, tarball);
  const { api, credential, service } = await startInstallation(ends);
  const types = await api.listNodeTypes();
  const missing = manifest.n8n.nodes.map(nameType).filter((name) => !types.includes(name));
  if (missing.length > 0) throw new Error(`n8n did not load ${missing.join(', ')}`);
  const { status, message } = await api.testCredential(credential);
  if (status !== 'OK') throw new Error(`the test of the credential fails: ${message}`);
  console.log(`n8n loads all ${manifest.n8n.nodes.length} nodes and reads ${service.baseUrl}`);
}

const ends: Ends = [];
start(process.argv[2] ?? '', ends)
  .catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  })
  .finally(() => endAll(ends))
  // The connections of n8n's database may stay open.
  .finally(() => process.exit());
