import { userFolder } from './environment';
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { KeyInfo } from 'n8n-core';
import { BinaryDataConfig, BinaryDataService, Cipher, EncryptionKeyProxy } from 'n8n-core';
import { LoggerProxy, setSafeRegexEngine, type RegexEngine } from 'n8n-workflow';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { RecordingLogger } from './logs';

/**
 * n8n keeps its services in one container per process, so engines that run at the same time share them:
 * the log, the binary data mode, the encryption key.
 */
export const log = new RecordingLogger();
/** n8n gives each pattern of a form a quarter of a second by the clock: a busy machine must not fail a test by it. */
const unhurried: RegexEngine = {
  exec: (pattern, input, flags) => new RegExp(pattern, flags).exec(input),
  test: (pattern, input, flags) => new RegExp(pattern, flags).test(input),
  replace: (pattern, input, flags, by) => input.replace(new RegExp(pattern, flags), by),
  matchAll: (pattern, input, flags) => [...input.matchAll(new RegExp(pattern, flags))],
  split: (pattern, input, flags) => input.split(new RegExp(pattern, flags)),
};

let running = 0;
let encryptionKey: KeyInfo | undefined;

/** `filesystem` is n8n 2's default (`binary.id` is set); `default` keeps base64 in memory, as n8n 1 did. */
export type BinaryDataMode = 'filesystem' | 'default';

export async function openPlatform(binaryDataMode: BinaryDataMode) {
  running += 1;
  Container.set(Logger, log as unknown as Logger);
  LoggerProxy.init(log);
  setSafeRegexEngine(unhurried);
  mkdirSync(userFolder, { recursive: true });
  // Once: a new key would make what another engine stored unreadable.
  encryptionKey ??= provideEncryptionKey();
  Container.get(BinaryDataConfig).mode = binaryDataMode;
  await Container.get(BinaryDataService).init();
}

export function closePlatform() {
  running -= 1;
  if (running === 0) rmSync(userFolder, { recursive: true, force: true });
}

/** Credentials are encrypted with a data key that is itself encrypted; n8n keeps it in its database. */
function provideEncryptionKey(): KeyInfo {
  const value = Container.get(Cipher).encryptDEKWithInstanceKey(randomBytes(32).toString('hex'));
  const key = { id: 'harness', value, algorithm: 'aes-256-gcm', format: 'prefixed' as const };
  const provider = {
    getActiveKey: async () => key,
    getKeyById: async () => key,
    getLegacyKey: async () => key,
  };
  Container.get(EncryptionKeyProxy).setProvider(provider);
  return key;
}

export const binaryDataService = () => Container.get(BinaryDataService);
