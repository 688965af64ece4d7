/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
/**
 * Import this before anything of n8n: its configuration classes read `process.env` once, when they are
 * first built, and several modules build them while being imported.
 */
import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import processCache from '../environment/processCache';

/** Creates a folder that the end of the process removes. */
function createUserFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-harness-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  processCache.set('user folder', folder);
  return folder;
}

/** n8n writes its settings and binary data here, and never to the developer's own `~/.n8n`. It reads the path once. */
export const userFolder = (processCache.get('user folder') as string | undefined) ?? createUserFolder();

const loopback = '127.0.0.1,localhost,::1';

Object.assign(process.env, {
  N8N_USER_FOLDER: userFolder,
  N8N_LOG_LEVEL: 'silent',
  N8N_DIAGNOSTICS_ENABLED: 'false',
  // Calls to the service under test must not go to a proxy of the environment.
  NO_PROXY: process.env.NO_PROXY ? `${process.env.NO_PROXY},${loopback}` : loopback,
});
process.env.no_proxy = process.env.NO_PROXY;
