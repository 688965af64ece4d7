import { listTableEvents, WebhookIdentity } from '../../../nodes/RecordDatabaseTrigger/authenticate';
import { readStaticData, writeStaticData } from '../../../nodes/RecordDatabaseTrigger/staticData';
import type { RecordEvent } from '../../../nodes/RecordDatabaseTrigger/staticData';
import {
  type SubscriptionContext,
  isSubscribed,
  subscribeAll,
  unsubscribeAll,
} from '../../../nodes/RecordDatabaseTrigger/subscriptions';
import type { FakeSubscriptionApi } from './fakeService';

/** A version of the workflow. */
export interface Version {
  tables: string[];
  events: RecordEvent[];
}

export const INSTANCE = {
  instanceId: 'this-n8n',
  nodeKey: 'w1',
  baseUrl: 'https://db.example',
  appId: 'app',
};

type Data = Record<string, never>;

/**
 * Calls the lifecycle methods as n8n does: `checkExists` and `create` up to five times with a `delete` after each
 * failure, and `delete` up to three times. Static data is copied at the start and saved at the end.
 */
export class FakeN8nLifecycle {
  host = 'https://n8n.example';
  secret = 'secret';
  saved: Data = {};
  keepsPastedAddress = false;

  constructor(
    readonly service: FakeSubscriptionApi,
    readonly endpoint: 'webhook' | 'webhook-test' = 'webhook',
  ) {}

  get url() {
    return `${this.host}/${this.endpoint}/w1/webhook`;
  }

  get webhookIdentity() {
    return new WebhookIdentity({ ...INSTANCE, appSecret: this.secret });
  }

  listWanted({ tables, events }: Version) {
    return listTableEvents(tables, events).map((source) => ({
      ...source,
      hookUrl: this.webhookIdentity.buildHookUrl(this.url, source.tableId, source.event),
    }));
  }

  private createContext(version: Version, data: Data): SubscriptionContext {
    const { webhookIdentity: identity, url, service } = this;
    return {
      api: service,
      identity,
      webhookUrl: url,
      tables: version.tables,
      wanted: listTableEvents(version.tables, version.events),
      keepsPastedAddress: this.keepsPastedAddress,
      staticData: readStaticData(data, identity.staticDataOwnerId),
    };
  }

  async checkExists(version: Version, data: Data = this.copyState()): Promise<boolean> {
    return isSubscribed(this.createContext(version, data));
  }

  async create(version: Version, data: Data): Promise<void> {
    const context = this.createContext(version, data);
    const { staticData: state } = context;
    writeStaticData(data, this.webhookIdentity.staticDataOwnerId, {
      addresses: [...new Set([...state.addresses, this.url])],
      tables: [...new Set([...state.tables, ...version.tables])],
    });
    context.staticData = readStaticData(data, this.webhookIdentity.staticDataOwnerId);
    writeStaticData(data, this.webhookIdentity.staticDataOwnerId, await subscribeAll(context));
  }

  async delete(version: Version, data: Data): Promise<void> {
    writeStaticData(
      data,
      this.webhookIdentity.staticDataOwnerId,
      await unsubscribeAll(this.createContext(version, data)),
    );
  }

  /** With `crash`, the static data is not saved. Returns the number of the attempt that succeeded; 0 if none did. */
  async activate(version: Version, crash = false): Promise<number> {
    const data = this.copyState();
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

  /** Returns true if the node has unsubscribed without an error. */
  async deactivate(version: Version): Promise<boolean> {
    const data = this.copyState();
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

  private copyState(): Data {
    return structuredClone(this.saved);
  }
}
