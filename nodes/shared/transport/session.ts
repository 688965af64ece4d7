import { budgetKey, type Keys } from './keys';
import { LOGIN_FAILED } from './login';
import { isKeyRefused, type Result } from './result';
import { NetworkFault } from './send';

/** Makes the call; with `login`, a 401 makes n8n log the user in and make it once more. */
type Make = (login: boolean) => Promise<Result>;

const isFault = (result: Result, code?: string): result is NetworkFault =>
  result instanceof NetworkFault && (code === undefined || result.code === code);

/** A 429 may have been the login's: then nobody is logged in either. */
const isThrough = (result?: Result): boolean =>
  result !== undefined && !isFault(result) && result.status !== 429;

/** Logging in again does not help somebody who may not do something; later on, the login may have expired all the same. */
const USELESS_MS = 60_000;

/** Logins under way, by whom they are for: executions that run at the same time share one. */
const renewals = new Map<string, Promise<unknown>>();

/**
 * The user's login during one execution (spec: Authentication, Method 2). n8n logs in without a lock, so
 * callers are held back here: until the first call is through, and while an expired login is renewed.
 */
export class Session {
  private opening?: Promise<unknown>;
  private isOpen = false;
  /** A login that was refused once is not tried again for every item. */
  private refused?: NetworkFault;
  /** Until then a login is not renewed: a call was answered with 401 right after a good one. */
  private uselessUntil = -Infinity;

  constructor(private readonly keys: Keys) {}

  async run(make: Make): Promise<Result> {
    if (!this.keys.userLogin) return make(false);
    const result = this.refused ?? (await this.afterFirst(make));
    return this.isExpired(result) && !this.isUseless ? this.renewed(make) : result;
  }

  private async afterFirst(make: Make): Promise<Result> {
    while (this.opening) await this.opening;
    if (this.refused) return this.refused;
    if (this.isOpen) return make(false);
    const first = make(false);
    this.opening = first.then(
      (result) => this.opened(result),
      () => this.opened(),
    );
    return first;
  }

  /** A call that failed on its way has logged nobody in: the next one goes alone as well. */
  private opened(result?: Result): void {
    this.opening = undefined;
    this.isOpen = isThrough(result);
    this.note(result);
  }

  /** The call that finds the login expired renews it with its own repetition; the others wait and repeat. */
  private async renewed(make: Make): Promise<Result> {
    const whose = `${budgetKey(this.keys)} ${this.keys.appId} ${this.keys.email}`;
    for (let other = renewals.get(whose); other; other = renewals.get(whose)) {
      await other;
      const again = this.refused ?? (await make(false));
      if (!this.isExpired(again) || this.isUseless) return again;
    }
    const renewal = make(true);
    const done = renewal.then(
      (result) => this.noteRenewal(result),
      () => undefined,
    );
    renewals.set(whose, done);
    try {
      return await renewal;
    } finally {
      renewals.delete(whose);
    }
  }

  private noteRenewal(result: Result): void {
    this.note(result);
    if (this.isExpired(result)) this.uselessUntil = performance.now() + USELESS_MS;
  }

  private get isUseless(): boolean {
    return performance.now() < this.uselessUntil;
  }

  private note(result?: Result): void {
    if (result && isFault(result, LOGIN_FAILED)) this.refused = result;
  }

  /** Where the key itself was refused, logging a user in again would not help. */
  private isExpired(result: Result): boolean {
    return !isFault(result) && result.status === 401 && !isKeyRefused(result.body);
  }
}
