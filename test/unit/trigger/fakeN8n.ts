import { Hook } from '../../../nodes/RecordDatabaseTrigger/hook';
import {
  isSubscribed,
  subscribeAll,
  unsubscribeAll,
  type Lifecycle,
} from '../../../nodes/RecordDatabaseTrigger/lifecycle';
import { readState, writeState } from '../../../nodes/RecordDatabaseTrigger/state';
import { wantedFor } from '../../../nodes/RecordDatabaseTrigger/subscriptions';
import type { RecordEvent } from '../../../nodes/shared/model/subscription';
import type { FakeService } from './fakeService';

/** A version of the workflow. */
export interface Version {
  tables: string[];
  events: RecordEvent[];
}

export const INSTANCE = { instanceId: 'this-n8n', node: 'w1', baseUrl: 'https://db.example', appId: 'app' };

type Data = Record<string, never>;

/**
 * What n8n does with the lifecycle: `checkExists` and `create` up to five times with a `delete` after each
 * failure, `delete` up to three times; static data saved at the end, and copied at the start.
 */
export class FakeN8n {
  host = 'https://n8n.example';
  secret = 'secret';
  saved: Data = {};

  constructor(
    readonly service: FakeService,
    readonly endpoint: 'webhook' | 'webhook-test' = 'webhook',
  ) {}

  get url() {
    return `${this.host}/${this.endpoint}/w1/webhook`;
  }

  get hook() {
    return new Hook({ ...INSTANCE, appSecret: this.secret });
  }

  wanted({ tables, events }: Version) {
    return wantedFor(tables, events, (table, event) => this.hook.address(this.url, table, event));
  }

  private life(version: Version, data: Data): Lifecycle {
    const { hook, url, service } = this;
    return { service, hook, webhookUrl: url, tables: version.tables, state: readState(data, hook.owner) };
  }

  async checkExists(version: Version, data: Data = this.copy()): Promise<boolean> {
    return isSubscribed(this.life(version, data), this.wanted(version));
  }

  async create(version: Version, data: Data): Promise<void> {
    const life = this.life(version, data);
    const { state } = life;
    writeState(data, this.hook.owner, {
      addresses: [...new Set([...state.addresses, this.url])],
      tables: [...new Set([...state.tables, ...version.tables])],
    });
    life.state = readState(data, this.hook.owner);
    writeState(data, this.hook.owner, await subscribeAll(life, this.wanted(version)));
  }

  async delete(version: Version, data: Data): Promise<void> {
    writeState(data, this.hook.owner, await unsubscribeAll(this.life(version, data)));
  }

  /** `crash` loses whatever was to be saved. Returns which attempt made the workflow active; 0 for none. */
  async activate(version: Version, crash = false): Promise<number> {
    const data = this.copy();
    for (let attempt = 1; attempt <= 5; attempt++) {
      try {
        if (!(await this.checkExists(version, data))) await this.create(version, data);
        if (!crash) this.saved = data;
        return attempt;
      } catch {
        await this.delete(version, data).catch(() => undefined);
        if (!crash) this.saved = data;
      }
    }
    return 0;
  }

  /** True when the node has unsubscribed without an error. */
  async deactivate(version: Version): Promise<boolean> {
    const data = this.copy();
    for (let attempt = 0; attempt < 3; attempt++) {
      const done = await this.delete(version, data).then(
        () => true,
        () => false,
      );
      this.saved = data;
      if (done) return true;
    }
    return false;
  }

  private copy(): Data {
    return structuredClone(this.saved);
  }
}
