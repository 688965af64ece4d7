/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not shipped: runs on Node */
import { Agent } from 'node:http';
import axios from 'axios';
import pLimit from 'p-limit';
import type { RecordEvent } from '../data/table';
import type { ServiceOptions } from '../options';
import type { DeliveryText } from './deliveryBody';
import { SECOND, type Timers } from './time';

/** As `GET /web-hooks/list` shows it (spec: Webhook subscription). */
export interface Subscription {
  id: string;
  data_table_id: string;
  type: RecordEvent;
  hookUrl: string;
  platform: string;
}

/** The JSON body of one event (spec: Events). */
export interface EventBody {
  event_type: RecordEvent;
  table_id: string;
  table_name: string;
  record: Record<string, unknown>;
  /** ISO 8601, UTC. */
  timestamp: string;
}

/** One attempt to deliver an event: `status` of the answer, or `error` without one. */
export interface Delivery {
  subscriptionId: string;
  url: string;
  body: EventBody;
  /** `body` as it was sent (`ServiceOptions.deliveryForm`). */
  sent: DeliveryText;
  status?: number;
  error?: string;
}

/** Sends record changes to the subscribers. The request that caused a change does not wait. */
export class Webhooks {
  readonly subscriptions: Subscription[] = [];
  readonly deliveries: Delivery[] = [];
  private readonly pending = new Set<Promise<void>>();
  private readonly agent = new Agent({ keepAlive: true });
  private readonly limit = pLimit(20);
  private stopped = false;

  constructor(
    private readonly options: ServiceOptions,
    private readonly timers: Timers,
  ) {}

  hasSubscriber(tableId: string, type: RecordEvent): boolean {
    return this.subscriptions.some((each) => each.data_table_id === tableId && each.type === type);
  }

  add(subscription: Subscription): void {
    const { hookUrl } = subscription;
    const isDropped = this.options.hookQuery === 'dropped';
    this.subscriptions.push({ ...subscription, hookUrl: isDropped ? dropQuery(hookUrl) : hookUrl });
  }

  send(body: EventBody, sent: DeliveryText): void {
    for (const subscription of this.subscriptions) {
      if (subscription.data_table_id !== body.table_id || subscription.type !== body.event_type) continue;
      for (let copy = 0; copy < this.options.deliveryCopies; copy++) this.enqueue(subscription, body, sent);
    }
  }

  /** Resolves when every event so far was attempted, at the latest after `boundMs`, which ends a test that hangs. */
  async waitForDeliveries(boundMs = 300 * SECOND): Promise<void> {
    const drainPending = async () => {
      while (this.pending.size > 0) await Promise.all(this.pending);
    };
    const bound = new AbortController();
    await Promise.race([drainPending(), this.timers.sleep(boundMs, bound)]);
    bound.abort();
  }

  stop(): void {
    this.stopped = true;
    this.limit.clearQueue();
    this.pending.clear();
    this.agent.destroy();
  }

  private enqueue(subscription: Subscription, body: EventBody, sent: DeliveryText): void {
    const sending = this.limit(() => this.deliver(subscription, body, sent));
    this.pending.add(sending);
    void sending.finally(() => this.pending.delete(sending));
  }

  private async deliver({ id, hookUrl }: Subscription, body: EventBody, sent: DeliveryText): Promise<void> {
    const url = this.options.hookQuery === 'droppedOnDelivery' ? dropQuery(hookUrl) : hookUrl;
    for (let attempt = 0; attempt <= this.options.deliveryRetries && !this.stopped; attempt++) {
      const delivery: Delivery = { subscriptionId: id, url, body, sent };
      this.deliveries.push(delivery);
      try {
        const { status } = await axios.post(url, sent.text, {
          headers: { 'content-type': sent.contentType },
          httpAgent: this.agent,
          proxy: false,
          maxRedirects: 0,
          timeout: this.options.deliveryTimeoutMs,
          validateStatus: () => true,
        });
        delivery.status = status;
        if (status < 300) return;
      } catch (error) {
        delivery.error = (error as Error).message;
      }
    }
  }
}

const dropQuery = (url: string): string => url.split('?')[0] ?? '';
