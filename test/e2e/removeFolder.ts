import { rmSync } from 'node:fs';

/** Of processes that have ended: what they started may still write for a moment, and a folder that fills is not empty. */
export const removeFolder = (path: string): void =>
  rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
