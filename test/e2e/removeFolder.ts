/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { rmSync } from 'node:fs';

/** Removes the folder of ended processes. Retries, because their child processes may still write to it for a moment. */
export const removeFolder = (path: string): void =>
  rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
