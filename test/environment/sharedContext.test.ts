/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { executionAsyncResource } from 'node:async_hooks';
import { join } from 'node:path';
import { NodeOperationError } from 'n8n-workflow';
import processCache from './processCache';

declare const requireOnce: NodeJS.Require;

describe('the environment of the test files', () => {
  it('shares installed packages between the files of a process', () => {
    expect(requireOnce('n8n-workflow').NodeOperationError).toBe(NodeOperationError);
  });

  it('shares the cache of the process between the files', () => {
    expect(requireOnce(join(__dirname, 'processCache.js'))).toBe(processCache);
  });

  it('has the built-in classes of the shared packages', () => {
    expect(NodeOperationError.prototype).toBeInstanceOf(Error);
    expect(requireOnce('luxon').DateTime.now().toObject()).toBeInstanceOf(Object);
    expect(() => JSON.parse('{')).toThrow(SyntaxError);
  });

  it('has fake timers, also for shared packages', () => {
    jest.useFakeTimers({ now: 86_400_000 });
    expect(requireOnce('luxon').DateTime.utc().toISODate()).toBe('1970-01-02');
    jest.useRealTimers();
    expect(Date.now()).toBeGreaterThan(86_400_000);
  });

  it('disables the storages of the files before it', async () => {
    const symbols = await Promise.resolve().then(() =>
      Object.getOwnPropertySymbols(executionAsyncResource()),
    );
    const enabled = symbols.filter(({ description }) => description === 'kResourceStore');
    expect(enabled.length).toBeLessThanOrEqual(2);
  });

  it('has none of the event handlers of the files before it', () => {
    const handlers = (globalThis as Record<symbol, unknown>)[Symbol.for('EVENT_HANDLERS')];
    expect((handlers as unknown[]).length).toBeLessThan(10);
  });
});
