import { isEqual } from 'lodash';
import type { Table } from '../../service';
import type { Meaning, SampleRecord } from './toolCall';

/** Records by table name and ID. */
type Records = Map<string, Map<string, SampleRecord>>;

/** What a call changed in one record. A created record has no `before`, a deleted one no `after`. */
export interface Change {
  table: string;
  id: string;
  before?: SampleRecord;
  after?: SampleRecord;
}

/**
 * The tables of the sample application as they are now, to find and undo the changes of a call. The service replaces a
 * record that changes, so the records are kept without copying them.
 */
export class SampleTables {
  private readonly records: Records;

  constructor(private readonly tables: readonly Table[]) {
    this.records = new Map(
      tables.map(({ name, records }) => [name, new Map(records as ReadonlyMap<string, SampleRecord>)]),
    );
  }

  list(table: string): SampleRecord[] {
    return [...(this.records.get(table)?.values() ?? [])];
  }

  /** Replaces `#Customers:3` by the ID of the third record, at any depth. */
  fillIds(value: unknown): unknown {
    const text = JSON.stringify(value).replace(/#([A-Z][A-Za-z ]*):(\d+)/g, (_, table: string, at: string) =>
      String(this.list(table)[Number(at) - 1]?.id),
    );
    return JSON.parse(text) as unknown;
  }

  /** Fills the IDs into the values of a meaning, which also has functions. */
  fillMeaning(meaning: Meaning | undefined): Meaning | undefined {
    return meaning && 'values' in meaning
      ? { ...meaning, values: this.fillIds(meaning.values) as SampleRecord }
      : meaning;
  }

  findChanges(): Change[] {
    return this.tables.flatMap(({ name, records }) => {
      const before = this.records.get(name) ?? new Map<string, SampleRecord>();
      const ids = new Set([...before.keys(), ...records.keys()]);
      return [...ids]
        .map((id): Change => ({ table: name, id, before: before.get(id), after: records.get(id) }))
        .filter(({ before: old, after }) => old !== after && !isEqual(old, after));
    });
  }

  undoChanges(): void {
    for (const { table, id, before } of this.findChanges()) {
      const records = this.tables.find(({ name }) => name === table)?.records as Map<string, unknown>;
      if (before) records.set(id, before);
      else records.delete(id);
    }
  }
}
