import type { ToolName } from './tools';

/** A record of the embedded service. */
export type SampleRecord = Record<string, unknown>;

export type IsWanted = (record: SampleRecord) => boolean;

/** What a call means: the records that it finds, or the one change that it makes. */
export type Meaning =
  | { found: string; matching: IsWanted }
  | { created: string; values: SampleRecord }
  | { updated: string; values: SampleRecord }
  | { updatedAll: string; matching: IsWanted; values: SampleRecord }
  | { deleted: string }
  | { answer: (records: SampleRecord[]) => boolean };

/**
 * A call of a tool as language models make it. `#Customers:3` in the arguments stands for the ID of the third
 * record. A call without `meaning` is ambiguous or impossible. `error` matches the message that names the right
 * choice.
 */
export interface ToolCall {
  call: string;
  tool: ToolName;
  args: Record<string, unknown>;
  meaning?: Meaning;
  error: RegExp;
}

export const createFound = (found: string, matching: IsWanted): Meaning => ({ found, matching });
