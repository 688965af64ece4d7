/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
/**
 * Import this before anything of n8n: its configuration classes read `process.env` once, when they are
 * first built, and several modules build them while being imported.
 */
import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** n8n writes its encryption key and binary data here; never the developer's own `~/.n8n`. */
export const userFolder = mkdtempSync(join(tmpdir(), 'n8n-harness-'));
process.on('exit', () => rmSync(userFolder, { recursive: true, force: true }));

const loopback = '127.0.0.1,localhost,::1';

Object.assign(process.env, {
  N8N_USER_FOLDER: userFolder,
  N8N_LOG_LEVEL: 'silent',
  N8N_DIAGNOSTICS_ENABLED: 'false',
  // Calls to the service under test must not go to a proxy of the environment.
  NO_PROXY: process.env.NO_PROXY ? `${process.env.NO_PROXY},${loopback}` : loopback,
});
process.env.no_proxy = process.env.NO_PROXY;
