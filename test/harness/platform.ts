/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { mkdirSync, rmSync } from 'node:fs';
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import { BinaryDataConfig, BinaryDataService } from 'n8n-core';
import * as n8nWorkflow from 'n8n-workflow';
import { LoggerProxy, type RegexEngine } from 'n8n-workflow';
import { userFolder } from './environment';
import { RecordingLogger } from './logs';

/**
 * n8n keeps its services in one container per process, so engines that run at the same time share them:
 * the log and the binary data mode.
 */
export const log = new RecordingLogger();
/** n8n stops a pattern of a form after 250 ms; without that limit a busy machine cannot fail a test. */
const unlimitedRegexEngine: RegexEngine = {
  exec: (pattern, input, flags) => new RegExp(pattern, flags).exec(input),
  test: (pattern, input, flags) => new RegExp(pattern, flags).test(input),
  replace: (pattern, input, flags, by) => input.replace(new RegExp(pattern, flags), by),
  matchAll: (pattern, input, flags) => [...input.matchAll(new RegExp(pattern, flags))],
  split: (pattern, input, flags) => input.split(new RegExp(pattern, flags)),
};

let running = 0;

/** `filesystem` is n8n 2's default (`binary.id` is set); `default` keeps base64 in memory, as n8n 1 did. */
export type BinaryDataMode = 'filesystem' | 'default';

export async function openPlatform(binaryDataMode: BinaryDataMode) {
  running += 1;
  Container.set(Logger, log as unknown as Logger);
  LoggerProxy.init(log);
  // Older releases of n8n have no time limit.
  if ('setSafeRegexEngine' in n8nWorkflow) n8nWorkflow.setSafeRegexEngine(unlimitedRegexEngine);
  mkdirSync(userFolder, { recursive: true });
  Container.get(BinaryDataConfig).mode = binaryDataMode;
  await Container.get(BinaryDataService).init();
}

export function closePlatform() {
  running -= 1;
  if (running === 0) rmSync(userFolder, { recursive: true, force: true });
}

export const getBinaryDataService = () => Container.get(BinaryDataService);
