import type { ServiceRecord } from '../../model/responses/records';
import { RequestCache } from '../../transport/concurrency/requestCache';

/** One page of the records that match a search. */
export interface RecordPage {
  records: ServiceRecord[];
  hasMore: boolean;
}

/** The searches of a list since it was opened. Words are in lower case. */
export class RecordListCache {
  private readonly pages = new RequestCache<RecordPage>();
  /** Searches of which all records were read. */
  private readonly complete: Array<{ words: string[]; records: ServiceRecord[] }> = [];

  /**
   * Returns a page of a search. It sends no request if all records of a wider search are known: each word of that
   * search is a part of one of `words`. The records of a wider search are a superset, so the caller checks each.
   */
  async find(words: string[], page: number, fetch: () => Promise<RecordPage>): Promise<RecordPage> {
    const wider = this.complete.find((search) =>
      search.words.every((part) => words.some((word) => word.includes(part))),
    );
    if (wider) return { records: wider.records, hasMore: false };
    const found = await this.pages.get(JSON.stringify([page, ...words]), fetch);
    if (page === 1 && !found.hasMore) this.complete.push({ words, records: found.records });
    return found;
  }
}
