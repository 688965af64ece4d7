import fc from 'fast-check';
import { WebhookIdentity } from '../../../nodes/RecordDatabaseTrigger/authenticate';
import type { RecordEvent } from '../../../nodes/RecordDatabaseTrigger/staticData';
import { expectEqual } from '../../expectEqual';
import { createSeed, scaleRuns } from '../../randomness';
import { FakeN8nLifecycle, INSTANCE, type Version } from './fakeN8n';
import { type CallFault, FakeSubscriptionApi } from './fakeService';

/** After any sequence of steps the subscriptions are correct, and those of other clients are unchanged. */
const SEQUENCES = 5_000;

const TABLES = ['t1', 't2', 't3'];
const EVENTS: RecordEvent[] = ['INSERT', 'UPDATE', 'DELETE'];
const HOSTS = ['https://n8n.example', 'https://moved.example', 'http://10.0.0.7:5678'];

const version = fc.record<Version>({
  tables: fc.subarray(TABLES, { minLength: 1 }),
  events: fc.subarray(EVENTS, { minLength: 1 }),
});
const fault = fc.oneof(
  { weight: 6, arbitrary: fc.constant<CallFault>('none') },
  { weight: 1, arbitrary: fc.constantFrom<CallFault>('refused', 'lostAfter', 'lostBefore') },
);
const faults = fc.oneof(fc.constant<CallFault[]>([]), fc.array(fault, { maxLength: 12 }));

type Step =
  | { do: 'publish'; version: Version; faults: CallFault[]; crash: boolean }
  | { do: 'unpublish' | 'restart' | 'stopTest'; faults: CallFault[] }
  | { do: 'listen'; version: Version; faults: CallFault[] }
  | { do: 'move'; host: string }
  | { do: 'loseStaticData' | 'rotateSecret' | 'somebodyRemovesOne' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('publish' as const), version, faults, crash: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('unpublish', 'restart', 'stopTest'), faults }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('listen' as const), version, faults }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('move' as const), host: fc.constantFrom(...HOSTS) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('loseStaticData', 'rotateSecret', 'somebodyRemovesOne') }),
  },
) as fc.Arbitrary<Step>;

/** Adds subscriptions of other clients that resemble those of the trigger. */
function addForeign(service: FakeSubscriptionApi): void {
  const createToken = (instanceId: string) =>
    new WebhookIdentity({ ...INSTANCE, instanceId, appSecret: 'secret' }).computeToken('t1', 'INSERT');
  const path = '/webhook/w1/webhook';
  const addresses = [
    'https://elsewhere.example/hook',
    `https://staging.example${path}`,
    `https://staging.example${path}?token=${createToken('staging-n8n')}`,
    `https://staging.example${path}?token=`,
    `${HOSTS[0]}${path}2?token=${createToken('this-n8n')}`,
    `${HOSTS[0]}/webhook/w2/webhook?token=${createToken('this-n8n')}`,
    'no address at all',
  ];
  for (const hookUrl of addresses) {
    service.add({ data_table_id: 't1', type: 'INSERT', hookUrl, by: 'somebody else' });
  }
}

class LifecycleModel {
  readonly service = new FakeSubscriptionApi();
  readonly n8n = new FakeN8nLifecycle(this.service);
  private readonly tester = new FakeN8nLifecycle(this.service, 'webhook-test');
  private published: Version = { tables: ['t1'], events: ['INSERT'] };
  private listening?: Version;
  private isActive = false;
  /**
   * What the trigger has lost. Without a token, it recognises a subscription only by the static data: an address alone may
   * be that of another workflow. If it loses both it cannot find the subscription, so the steps never combine them.
   */
  private readonly lost = { token: false, notes: false };

  constructor() {
    addForeign(this.service);
  }

  private canLose(what: keyof LifecycleModel['lost']): boolean {
    const after = { ...this.lost, [what]: true };
    return !(after.token && after.notes);
  }

  private resetLost(): void {
    this.lost.token = this.lost.notes = false;
  }

  async runStep(step: Step): Promise<void> {
    const { service, n8n, tester } = this;
    service.faults = 'faults' in step ? [...step.faults] : [];
    switch (step.do) {
      case 'publish':
        if (step.crash && !this.canLose('notes')) break;
        await n8n.deactivate(this.published);
        this.published = step.version;
        this.isActive = (await this.activate(n8n, step)) > 0;
        if (this.isActive) this.resetLost();
        if (step.crash) this.lost.notes = true;
        if (this.isActive) this.expectWanted();
        break;
      case 'unpublish':
        if (await n8n.deactivate(this.published)) this.resetLost();
        this.isActive = false;
        break;
      case 'restart':
        if (!this.isActive) break;
        await n8n.checkExists(this.published).catch(() => undefined);
        break;
      case 'listen':
        if (!this.listening && (await this.activate(tester, step)) > 0) this.listening = step.version;
        break;
      case 'stopTest':
        if (this.listening) await tester.deactivate(this.listening);
        this.listening = undefined;
        break;
      case 'move':
        n8n.host = step.host;
        break;
      case 'loseStaticData':
        if (!this.canLose('notes')) break;
        this.lost.notes = true;
        n8n.saved = {};
        break;
      case 'rotateSecret':
        if (!this.canLose('token')) break;
        this.lost.token = true;
        n8n.secret = `${n8n.secret}+`;
        break;
      case 'somebodyRemovesOne': {
        const listOwn = this.mine()[0];
        if (listOwn) service.remove(listOwn.id);
      }
    }
    this.expectForeignUntouched();
  }

  /** Without a fault the first attempt is enough. */
  private async activate(
    n8n: FakeN8nLifecycle,
    step: { version: Version; crash?: boolean; faults: CallFault[] },
  ) {
    const attempts = await n8n.activate(step.version, step.crash);
    if (step.faults.length === 0) expectEqual(attempts, 1);
    return attempts;
  }

  private mine(endpoint = '/webhook/') {
    return this.service.rows.filter(({ by, hookUrl }) => by === 'trigger' && hookUrl.includes(endpoint));
  }

  expectWanted(): void {
    const wanted = this.n8n
      .listWanted(this.published)
      .map(({ tableId, event, hookUrl }) => [tableId, event, hookUrl].join(' '));
    const found = this.mine().map(
      ({ data_table_id, type, hookUrl }) => `${data_table_id} ${type} ${hookUrl}`,
    );
    expectEqual(found.sort(), wanted.sort());
  }

  private expectForeignUntouched(): void {
    expectEqual(this.service.rows.filter(({ by }) => by === 'somebody else').length, 7);
  }

  /** Everything is switched off without a fault. */
  async finish(): Promise<void> {
    this.service.faults = [];
    if (this.listening) await this.tester.deactivate(this.listening);
    expectEqual(await this.n8n.deactivate(this.published), true);
    expectEqual(this.mine(), []);
    this.expectForeignUntouched();
  }
}

async function runSteps(steps: Step[]): Promise<void> {
  const world = new LifecycleModel();
  for (const one of steps) await world.runStep(one);
  await world.finish();
}

test(`${SEQUENCES} random sequences of actions by n8n and by users`, async () => {
  const seed = createSeed();
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), runSteps), {
    numRuns: scaleRuns(SEQUENCES),
    seed,
  });
});
