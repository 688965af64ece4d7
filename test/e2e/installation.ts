/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Service, startService } from '../service';
import { CREDENTIAL_NAME } from './examplesInN8n';
import { installPackage, type N8nRelease, RELEASES } from './n8n';
import { N8nApi } from './n8nApi';
import { N8nProcess } from './n8nProcess';
import { removeFolder } from './removeFolder';

/** The release under test; `npm run test:e2e` runs the same tests for each. */
export const RELEASE: N8nRelease = process.env.N8N_RELEASE === 'v1' ? RELEASES.v1 : RELEASES.newest;

/** Functions that stop the started processes, in the order of their start. */
export type Ends = Array<() => unknown>;

export async function endAll(ends: Ends): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}

/** The service with sample data, and n8n with a credential for the service. */
export interface Installation {
  service: Service;
  n8nUrl: string;
  api: N8nApi;
  credential: { id: string; name: string };
}

/** The address of the n8n that `startN8n` started for all test files of a run. */
const N8N_URL = 'N8N_E2E_URL';
/** The session of all test files of a run: n8n refuses the sixth login of a user within a minute. */
const N8N_SESSION = 'N8N_E2E_SESSION';

/**
 * Starts n8n with a tarball, or else with that of the built package. Adds to `ends` what stops it, also if a later step
 * fails.
 */
export async function startN8n(port: number, ends: Ends, tarball?: string): Promise<void> {
  const userFolder = mkdtempSync(join(tmpdir(), 'n8n-e2e-'));
  ends.push(() => removeFolder(userFolder));
  installPackage(userFolder, tarball);
  const n8n = await N8nProcess.start({ port, userFolder, release: RELEASE });
  ends.push(() => n8n.stop());
  process.env[N8N_URL] = n8n.url;
  process.env[N8N_SESSION] = await new N8nApi(n8n.url).logIn();
}

/** Starts a service for the test file and saves its credential in n8n. Adds to `ends` what stops the service. */
export async function startInstallation(ends: Ends): Promise<Installation> {
  const n8nUrl = process.env[N8N_URL] ?? '';
  const service = await startService();
  ends.push(() => service.stop());
  const api = new N8nApi(n8nUrl, process.env[N8N_SESSION]);
  const keys = {
    baseUrl: service.baseUrl,
    advancedSettings: true,
    fileHosts: service.fileHost,
    ...service.keys,
  };
  const credential = await api.saveCredential(CREDENTIAL_NAME, keys);
  await api.deleteOtherCredentials(credential);
  return { service, n8nUrl, api, credential };
}
