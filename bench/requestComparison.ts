import type { ServiceOptions } from '../test/service';
import { type RemoteService, startRemoteService } from './remote';
import { formatSeconds, type Row, type Scenario } from './report';

/** The requests of contenders that do the same work, each on a service of its own with 40 ms latency. */
export class RequestComparison {
  private readonly rows: Row[] = [];
  /** The parts of the scenario that all comparisons share. */
  readonly table = {
    columns: ['requests', 'time', 'records after', 'duplicates'],
    unit: 'requests',
    rows: this.rows,
  } satisfies Partial<Scenario>;

  /** @param records number of records before and after the work */
  constructor(
    private readonly records: { before: number; after: number },
    private readonly options: Partial<ServiceOptions> = {},
  ) {}

  /** `isRight` says whether the work left the expected number of records, without duplicates. */
  async measure(
    name: string,
    work: (service: RemoteService) => Promise<unknown>,
  ): Promise<{ requests: number; isRight: boolean }> {
    const service = await startRemoteService({ latencyMs: 40, ...this.options }, this.records.before);
    const from = performance.now();
    await work(service);
    const ms = performance.now() - from;
    const { requests, records, duplicates } = await service.getStatistics();
    await service.stop();
    this.rows.push({ name, bar: requests, cells: [requests, formatSeconds(ms), records, duplicates] });
    return { requests, isRight: records === this.records.after && duplicates === 0 };
  }
}
