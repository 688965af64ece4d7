/**
 * Every value that stays in memory after a call is registered here, so that docs/development/architecture.md
 * can list the values, and tests can remove them. The owner is part of the key of a value, so that no user
 * gets the values of another user.
 */
import { hash } from 'node:crypto';
import { ApiError } from '../errors/apiError';
import { asThrown } from '../input/inputError';
import { formatDuration } from '../input/messageText';
import { RequestCache } from './requestCache';

/**
 * What kind of owner the values of a memory have. `user`: all of a credential that decides which records are shown.
 * `app`: Base URL and App ID. `key`: Base URL and App Key. `node`: a node of a workflow.
 */
export type MemoryScope = 'user' | 'app' | 'key' | 'node';

/** Hashes that identify the owners `user`, `app` and `key`. They do not reveal the keys of the credential. */
export interface CredentialIdentity {
  readonly fingerprints: Readonly<Record<'user' | 'app' | 'key', string>>;
}

/** An object with the credential, such as a client. For the scope `node`, a text that identifies the node. */
type Owner<S extends MemoryScope> = S extends 'node' ? string : { readonly credential: CredentialIdentity };

interface MemoryDescription<S extends MemoryScope> {
  per: S;
  /** Which values are kept and why, as architecture.md shows it: "the fields of a table, which items share". */
  holds: string;
}

export interface RegisteredMemory {
  name: string;
  holds: string;
  /** A `MemoryScope`, or the kind of object that a memory is attached to, such as 'signal'. */
  per: string;
  /** When a value is removed. */
  until: string;
  /** Removes all values. A queue keeps its running tasks: otherwise two tasks could run at once. */
  clear(): void;
}

const memories = new Map<string, RegisteredMemory>();

function registerMemory(memory: RegisteredMemory): void {
  if (memories.has(memory.name)) throw new Error(`There are two memories with the name ${memory.name}`);
  memories.set(memory.name, memory);
}

export const listMemories = (): RegisteredMemory[] =>
  [...memories.values()].sort((a, b) => (a.name < b.name ? -1 : 1));

/** Only tests call this function. */
export const clearMemories = (): void => listMemories().forEach((memory) => memory.clear());

/** A longer key is hashed: it may contain a value of a user, which may have any length. */
const MAX_KEY_LENGTH = 200;

function createMemoryKey(
  scope: MemoryScope,
  owner: string | { credential: CredentialIdentity },
  parts: readonly unknown[],
): string {
  const id = typeof owner === 'string' ? owner : owner.credential.fingerprints[scope as 'user'];
  const text = JSON.stringify([id, ...parts]);
  return text.length > MAX_KEY_LENGTH ? hash('sha256', text, 'base64url') : text;
}

const isCancelled = (error: unknown): boolean => error instanceof ApiError && error.code === 'cancelled';

/**
 * Keeps responses by owner and key. Parallel callers share one request. A failure is not kept.
 * If the execution that sent a request is cancelled, the other callers send a new one.
 */
class Cache<T, S extends MemoryScope> {
  private readonly entries: RequestCache<T>;

  constructor(
    private readonly scope: S,
    ttlMs: number,
  ) {
    this.entries = new RequestCache<T>(ttlMs);
  }

  /** @param since milliseconds of `performance.now()`. A response that was requested earlier is not used */
  async get(owner: Owner<S>, key: readonly unknown[], request: () => Promise<T>, since?: number): Promise<T> {
    let isOwnRequest = false;
    const send = () => {
      isOwnRequest = true;
      return request();
    };
    const shared = this.entries.get(createMemoryKey(this.scope, owner, key), send, since);
    try {
      return await shared;
    } catch (error) {
      if (isOwnRequest || !isCancelled(error)) throw asThrown(error);
    }
    return this.get(owner, key, request, since);
  }

  clear(): void {
    this.entries.clear();
  }
}

/** Keeps values by owner and key. With more than `max`, removes the value that was unused longest. */
class Store<V, S extends MemoryScope> {
  private readonly entries = new Map<string, V>();

  constructor(
    private readonly scope: S,
    private readonly max: number,
  ) {}

  get(owner: Owner<S>, key: readonly unknown[]): V | undefined {
    return this.entries.get(createMemoryKey(this.scope, owner, key));
  }

  set(owner: Owner<S>, key: readonly unknown[], value: V): void {
    this.setNewest(createMemoryKey(this.scope, owner, key), value);
  }

  getOrCreate(owner: Owner<S>, key: readonly unknown[], create: () => V): V {
    const memoryKey = createMemoryKey(this.scope, owner, key);
    const value = this.entries.get(memoryKey) ?? create();
    this.setNewest(memoryKey, value);
    return value;
  }

  clear(): void {
    this.entries.clear();
  }

  private setNewest(memoryKey: string, value: V): void {
    this.entries.delete(memoryKey);
    this.entries.set(memoryKey, value);
    const [oldest = ''] = this.entries.keys();
    if (this.entries.size > this.max) this.entries.delete(oldest);
  }
}

/** Runs tasks with the same key one after the other, in the order of their arrival. */
export class KeyedQueue {
  private readonly lastTasks = new Map<string, Promise<unknown>>();

  async runTask<T>(key: string, task: () => Promise<T>): Promise<T> {
    const previous = this.lastTasks.get(key);
    const result = previous ? previous.then(task) : task();
    const settled = result.then(
      () => undefined,
      () => undefined,
    );
    this.lastTasks.set(key, settled);
    try {
      return await result;
    } finally {
      if (this.lastTasks.get(key) === settled) this.lastTasks.delete(key);
    }
  }
}

/**
 * Creates memories. Each is created once, when the file that declares it is loaded.
 * @example
 * const tables = memory.cache<Table, 'user'>('tables', { per: 'user', holds: 'the fields of a table', ttlMs: 30_000 });
 * await tables.get(client, [tableId], () => fetchTable(client, tableId));
 */
export const memory = {
  cache<T, S extends MemoryScope>(
    name: string,
    { per, holds, ttlMs }: MemoryDescription<S> & { ttlMs: number },
  ): Cache<T, S> {
    const cache = new Cache<T, S>(per, ttlMs);
    registerMemory({ name, holds, per, until: formatDuration(ttlMs / 1000), clear: () => cache.clear() });
    return cache;
  },

  store<V, S extends MemoryScope>(
    name: string,
    { per, holds, max }: MemoryDescription<S> & { max: number },
  ): Store<V, S> {
    const store = new Store<V, S>(per, max);
    const until = `${max.toLocaleString('en')} others were used`;
    registerMemory({ name, holds, per, until, clear: () => store.clear() });
    return store;
  },

  /** Tasks of one owner and key run one after the other, also those of different executions. */
  queue<S extends MemoryScope>(name: string, { per, holds }: MemoryDescription<S>) {
    const tasks = new KeyedQueue();
    registerMemory({ name, holds, per, until: 'the task ends', clear: () => undefined });
    return {
      runTask: <T>(owner: Owner<S>, key: readonly unknown[], task: () => Promise<T>): Promise<T> =>
        tasks.runTask(createMemoryKey(per, owner, key), task),
    };
  },

  /** Keeps one value for each object, for example for each client, as long as the object exists. */
  attach<O extends object, V>(
    name: string,
    { to, holds }: { to: string; holds: string },
    create: (owner: O) => V,
  ): (owner: O) => V {
    let values = new WeakMap<O, { value: V }>();
    registerMemory({ name, holds, per: to, until: `the ${to} ends`, clear: () => (values = new WeakMap()) });
    return (owner) => {
      const entry = values.get(owner) ?? { value: create(owner) };
      values.set(owner, entry);
      return entry.value;
    };
  },
};
