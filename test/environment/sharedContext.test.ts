/* eslint-disable @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { AsyncLocalStorage, executionAsyncResource } from 'node:async_hooks';
import { join } from 'node:path';
import vm, { type Context, createContext } from 'node:vm';
import { NodeOperationError } from 'n8n-workflow';
import processCache from './processCache';

declare const requireOnce: NodeJS.Require;
declare const nameSeed: (error: unknown) => void;

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

  it('enables no storage for the running test, and returns it all the same', async () => {
    const symbols = await Promise.resolve().then(() =>
      Object.getOwnPropertySymbols(executionAsyncResource()),
    );
    expect(symbols.filter(({ description }) => description === 'kResourceStore')).toEqual([]);

    const storage = new AsyncLocalStorage();
    const readLater = () => Promise.resolve().then(() => storage.getStore());
    expect(await storage.run({ test: 'outer' }, readLater)).toEqual({ test: 'outer' });
    expect(storage.getStore()).toBeUndefined();
  });

  it('leaves other storages as they are', async () => {
    const storage = new AsyncLocalStorage();
    const readLater = () => Promise.resolve().then(() => storage.getStore());
    const found = await Promise.all([storage.run('a', readLater), storage.run('b', readLater)]);
    storage.disable();
    expect(found).toEqual(['a', 'b']);
  });

  it('compiles a module once for the context of the process', () => {
    const compileFor = (parsingContext: Context) => (code: string) =>
      vm.compileFunction(code, ['a'], { filename: '/compiled-once.js', parsingContext });
    const compileApart = compileFor(createContext());
    expect(compileApart('return a')).not.toBe(compileApart('return a'));
    const compile = compileFor(requireOnce(join(__dirname, 'compileOnce.js')) as Context);
    expect(compile('return a')).toBe(compile('return a'));
    expect(compile('return a + 1')(1)).toBe(2);
  });

  it('has none of the event handlers of the files before it', () => {
    const handlers = (globalThis as Record<symbol, unknown>)[Symbol.for('EVENT_HANDLERS')];
    expect((handlers as unknown[]).length).toBeLessThan(10);
  });
});

test('the failure of a random test names its seed', () => {
  const state = globalThis as { testSeed?: number };
  const error = new Error('the cause');
  delete state.testSeed;
  nameSeed(error);
  expect(error.stack).toMatch(/^Error: the cause/);
  state.testSeed = 7;
  nameSeed(error);
  delete state.testSeed;
  expect(error.stack).toMatch(/^SEED=7 repeats this run\.\n\nError: the cause/);
});
