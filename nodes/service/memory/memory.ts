/**
 * All values that are kept after a call ends. Shipped code stores such values only through this file. The file registers
 * each memory, so that docs/development/architecture.md can list the memories and tests can empty them. The file also
 * builds the keys, so that each key contains the owner.
 */
import { hash } from 'node:crypto';
import { Duration } from 'luxon';
import { ApiError } from '../errors/apiError';
import { asThrown } from '../input/inputError';
import { RequestCache } from './requestCache';

/**
 * The owner by which a memory separates its values. `user`: everything in a credential that determines what it may see.
 * `app`: base URL and App ID. `key`: base URL and App Key, which the service's limits count by. `node`: a node of a
 * workflow.
 */
export type Scope = 'user' | 'app' | 'key' | 'node';

/** A parsed credential. Its hashes identify it without containing its keys (`parseCredential`). */
export interface Fingerprinted {
  readonly fingerprints: Readonly<Record<'user' | 'app' | 'key', string>>;
}

/** A client or another object with the credential; for the scope `node` the text that identifies the node. */
type Owner<S extends Scope> = S extends 'node' ? string : { readonly credential: Fingerprinted };

/** What each memory declares: the owner of its values, and why they are kept. */
interface MemoryDescription<S extends Scope> {
  per: S;
  /**
   * The values that the memory keeps and why, for docs/development/architecture.md: "the fields of a table, which
   * items share".
   */
  holds: string;
}

/** A memory as docs/development/architecture.md lists it. */
export interface RegisteredMemory {
  name: string;
  holds: string;
  /** The owner of the values: a `Scope`, or what the memory is attached to. */
  per: string;
  /** When an entry is removed. */
  until: string;
  /** Removes all entries. A queue keeps its running tasks: without them, two could run at once. */
  clear(): void;
}

const register = new Map<string, RegisteredMemory>();

function registerMemory(memory: RegisteredMemory): void {
  if (register.has(memory.name)) throw new Error(`There are two memories with the name ${memory.name}`);
  register.set(memory.name, memory);
}

/** Lists the memories of all files that are loaded, by name. */
export const listMemories = (): RegisteredMemory[] =>
  [...register.values()].sort((a, b) => (a.name < b.name ? -1 : 1));

/** Empties all memories of the process. For tests. */
export const clearMemories = (): void => listMemories().forEach((memory) => memory.clear());

/** A text of more characters is hashed: a key may hold a value of the user, of any length. */
const MAX_KEY_LENGTH = 200;

function createKey(
  scope: Scope,
  owner: string | { credential: Fingerprinted },
  parts: readonly unknown[],
): string {
  const id = typeof owner === 'string' ? owner : owner.credential.fingerprints[scope as 'user'];
  const text = JSON.stringify([id, ...parts]);
  return text.length > MAX_KEY_LENGTH ? hash('sha256', text, 'base64url') : text;
}

/** Formats a lifetime for docs/development/architecture.md: "1 hour". */
const formatLifetime = (ms: number): string => Duration.fromMillis(ms, { locale: 'en' }).rescale().toHuman();

/** Whether a request ended because its execution was stopped (`AbortedError`). */
const isCancelled = (error: unknown): boolean => error instanceof ApiError && error.code === 'cancelled';

/**
 * Responses by owner and key, each kept for `ttlMs` milliseconds. Parallel callers share one request. A failure is not
 * kept. If the execution that sent a shared request is stopped, the other callers send a new request.
 */
class Cache<T, S extends Scope> {
  private readonly entries: RequestCache<T>;

  constructor(
    private readonly scope: S,
    ttlMs: number,
  ) {
    this.entries = new RequestCache<T>(ttlMs);
  }

  /**
   * @param since the earliest time at which the response may have been requested, in milliseconds of
   *   `performance.now()`
   */
  async get(owner: Owner<S>, key: readonly unknown[], request: () => Promise<T>, since?: number): Promise<T> {
    let isOwnRequest = false;
    const send = () => {
      isOwnRequest = true;
      return request();
    };
    const shared = this.entries.get(createKey(this.scope, owner, key), send, since);
    try {
      return await shared;
    } catch (error) {
      if (isOwnRequest || !isCancelled(error)) throw asThrown(error);
    }
    return this.get(owner, key, request, since);
  }

  delete(owner: Owner<S>, key: readonly unknown[]): void {
    this.entries.delete(createKey(this.scope, owner, key));
  }

  clear(): void {
    this.entries.clear();
  }
}

/** Values by owner and key, at most `max`. A full store removes its least recently used value. */
class Store<V, S extends Scope> {
  private readonly entries = new Map<string, V>();

  constructor(
    private readonly scope: S,
    private readonly max: number,
    private readonly isInUse: (value: V) => boolean,
  ) {}

  get(owner: Owner<S>, key: readonly unknown[]): V | undefined {
    return this.entries.get(createKey(this.scope, owner, key));
  }

  set(owner: Owner<S>, key: readonly unknown[], value: V): void {
    this.setNewest(createKey(this.scope, owner, key), value);
  }

  /** Gets the value of a key, and creates it first if there is none. */
  getOrCreate(owner: Owner<S>, key: readonly unknown[], create: () => V): V {
    const text = createKey(this.scope, owner, key);
    const value = this.entries.get(text) ?? create();
    this.setNewest(text, value);
    return value;
  }

  delete(owner: Owner<S>, key: readonly unknown[]): void {
    this.entries.delete(createKey(this.scope, owner, key));
  }

  clear(): void {
    this.entries.clear();
  }

  private setNewest(text: string, value: V): void {
    this.entries.delete(text);
    this.entries.set(text, value);
    if (this.entries.size <= this.max) return;
    for (const [other, one] of this.entries) {
      if (other === text || this.isInUse(one)) continue;
      this.entries.delete(other);
      break;
    }
  }
}

/**
 * Runs tasks with the same key one after the other, in order of arrival. Tasks with different keys run in
 * parallel.
 */
export class KeyedQueue {
  private readonly lastTasks = new Map<string, Promise<unknown>>();

  /** Starts `task` after all earlier tasks of `key` have ended, whether they succeeded or failed. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
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
 * Creates memories, each once when its file is loaded.
 * @example
 * const tables = memory.cache<Table, 'user'>('tables', { per: 'user', holds: 'the fields of a table', ttlMs: 30_000 });
 * await tables.get(client, [tableId], () => fetchTable(client, tableId));
 */
export const memory = {
  cache<T, S extends Scope>(
    name: string,
    { per, holds, ttlMs }: MemoryDescription<S> & { ttlMs: number },
  ): Cache<T, S> {
    const cache = new Cache<T, S>(per, ttlMs);
    registerMemory({ name, holds, per, until: formatLifetime(ttlMs), clear: () => cache.clear() });
    return cache;
  },

  store<V, S extends Scope>(
    name: string,
    {
      per,
      holds,
      max,
      until = `${max.toLocaleString('en')} others were used`,
      isInUse = () => false,
    }: MemoryDescription<S> & {
      max: number;
      /** When a value is removed, if the code that uses the memory removes it before the maximum is reached. */
      until?: string;
      /** Whether a value must stay although it is the oldest. */
      isInUse?: (value: V) => boolean;
    },
  ): Store<V, S> {
    const store = new Store<V, S>(per, max, isInUse);
    registerMemory({ name, holds, per, until, clear: () => store.clear() });
    return store;
  },

  /** Tasks with the same owner and key run one after the other, whichever execution they belong to. */
  queue<S extends Scope>(name: string, { per, holds }: MemoryDescription<S>) {
    const tasks = new KeyedQueue();
    registerMemory({ name, holds, per, until: 'the task ends', clear: () => undefined });
    return {
      run: <T>(owner: Owner<S>, key: readonly unknown[], task: () => Promise<T>): Promise<T> =>
        tasks.run(createKey(per, owner, key), task),
    };
  },

  /**
   * One value for each owner: a client, which exists for one execution or one load of a list, or another object. The
   * value is removed with its owner.
   * @param create called the first time that an owner is used
   */
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
