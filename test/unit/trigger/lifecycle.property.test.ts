import fc from 'fast-check';
import { Hook } from '../../../nodes/RecordDatabaseTrigger/hook';
import type { RecordEvent } from '../../../nodes/shared/model/subscription';
import { newSeed, runs } from '../../randomness';
import { FakeN8n, INSTANCE, type Version } from './fakeN8n';
import { FakeService, type Fault } from './fakeService';

/** R5: whatever happens in whatever order, the list ends up right, and others keep what is theirs. */
const SEQUENCES = 5_000;

const TABLES = ['t1', 't2', 't3'];
const EVENTS: RecordEvent[] = ['INSERT', 'UPDATE', 'DELETE'];
const HOSTS = ['https://n8n.example', 'https://moved.example', 'http://10.0.0.7:5678'];

const version = fc.record<Version>({
  tables: fc.subarray(TABLES, { minLength: 1 }),
  events: fc.subarray(EVENTS, { minLength: 1 }),
});
const fault = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Fault>('none') },
  { weight: 1, arbitrary: fc.constantFrom<Fault>('refused', 'lostAfter', 'lostBefore') },
);
const faults = fc.oneof(fc.constant<Fault[]>([]), fc.array(fault, { maxLength: 12 }));

type Step =
  | { do: 'publish'; version: Version; faults: Fault[]; crash: boolean }
  | { do: 'unpublish' | 'restart' | 'stopTest'; faults: Fault[] }
  | { do: 'listen'; version: Version; faults: Fault[] }
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

/** Subscriptions that look like ours and are not. */
function addForeign(service: FakeService): void {
  const token = (instanceId: string) =>
    new Hook({ ...INSTANCE, instanceId, appSecret: 'secret' }).token('t1', 'INSERT');
  const path = '/webhook/w1/webhook';
  const addresses = [
    'https://elsewhere.example/hook',
    `https://staging.example${path}`,
    `https://staging.example${path}?token=${token('staging-n8n')}`,
    `https://staging.example${path}?token=`,
    `${HOSTS[0]}${path}2?token=${token('this-n8n')}`,
    `${HOSTS[0]}/webhook/w2/webhook?token=${token('this-n8n')}`,
    'no address at all',
  ];
  for (const hookUrl of addresses) {
    service.add({ data_table_id: 't1', type: 'INSERT', hookUrl, by: 'somebody else' });
  }
}

class World {
  readonly service = new FakeService();
  readonly n8n = new FakeN8n(this.service);
  private readonly tester = new FakeN8n(this.service, 'webhook-test');
  private published: Version = { tables: ['t1'], events: ['INSERT'] };
  private listening?: Version;
  private isActive = false;
  /**
   * Without a token to be known by, an address on an earlier host is known from the static data alone: the
   * three of these together leave nothing to find it by, and are not combined.
   */
  private readonly lost = { token: false, host: false, notes: false };

  constructor(dropsQuery: boolean) {
    this.service.dropsQuery = dropsQuery;
    this.lost.token = dropsQuery;
    addForeign(this.service);
  }

  private may(what: keyof World['lost']): boolean {
    const after = { ...this.lost, [what]: true };
    return !(after.token && after.host && after.notes);
  }

  private clean(): void {
    this.lost.token = this.service.dropsQuery;
    this.lost.host = this.lost.notes = false;
  }

  async take(step: Step): Promise<void> {
    const { service, n8n, tester } = this;
    service.faults = 'faults' in step ? [...step.faults] : [];
    switch (step.do) {
      case 'publish':
        if (step.crash && !this.may('notes')) break;
        await n8n.deactivate(this.published);
        this.published = step.version;
        this.isActive = (await this.activate(n8n, step)) > 0;
        if (this.isActive) this.clean();
        if (step.crash) this.lost.notes = true;
        if (this.isActive) this.expectWanted();
        break;
      case 'unpublish':
        if (await n8n.deactivate(this.published)) this.clean();
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
        if (!this.may('host')) break;
        if (step.host !== n8n.host) this.lost.host = true;
        n8n.host = step.host;
        break;
      case 'loseStaticData':
        if (!this.may('notes')) break;
        this.lost.notes = true;
        n8n.saved = {};
        break;
      case 'rotateSecret':
        if (!this.may('token')) break;
        this.lost.token = true;
        n8n.secret = `${n8n.secret}+`;
        break;
      case 'somebodyRemovesOne': {
        const mine = this.mine()[0];
        if (mine) service.remove(mine.id);
      }
    }
    this.expectForeignUntouched();
  }

  /** Without a fault the first attempt is enough. */
  private async activate(n8n: FakeN8n, step: { version: Version; crash?: boolean; faults: Fault[] }) {
    const attempts = await n8n.activate(step.version, step.crash);
    if (step.faults.length === 0) expect(attempts).toBe(1);
    return attempts;
  }

  private mine(endpoint = '/webhook/') {
    return this.service.rows.filter(({ by, hookUrl }) => by === 'trigger' && hookUrl.includes(endpoint));
  }

  expectWanted(): void {
    const { dropsQuery } = this.service;
    const wanted = this.n8n.wanted(this.published).map(({ tableId, event, hookUrl }) => {
      return [tableId, event, dropsQuery ? hookUrl.split('?')[0] : hookUrl].join(' ');
    });
    const found = this.mine().map(
      ({ data_table_id, type, hookUrl }) => `${data_table_id} ${type} ${hookUrl}`,
    );
    expect(found.sort()).toEqual(wanted.sort());
  }

  private expectForeignUntouched(): void {
    expect(this.service.rows.filter(({ by }) => by === 'somebody else')).toHaveLength(7);
  }

  /** Everything is switched off without a fault. */
  async end(): Promise<void> {
    this.service.faults = [];
    if (this.listening) await this.tester.deactivate(this.listening);
    expect(await this.n8n.deactivate(this.published)).toBe(true);
    expect(this.mine()).toEqual([]);
    this.expectForeignUntouched();
  }
}

async function play(steps: Step[], dropsQuery: boolean): Promise<void> {
  const world = new World(dropsQuery);
  for (const one of steps) await world.take(one);
  await world.end();
}

test(`${SEQUENCES} sequences of everything that n8n and people do`, async () => {
  const seed = newSeed();
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 14 }),
      fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
      play,
    ),
    { numRuns: runs(SEQUENCES), seed },
  );
});
