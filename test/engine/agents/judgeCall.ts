import { isEqual } from 'lodash';
import type { Change, SampleTables } from './sampleTables';
import type { Meaning, SampleRecord, ToolCall } from './toolCall';

/** What the model sees of a call. */
export interface Outcome {
  answer?: string;
  error?: string;
}

/**
 * `understood`: the call did exactly what it means. `refused`: it changed nothing, and the error names the right
 * choice. `unclear`: it changed nothing, and the error does not help. `wrong`: it did anything else.
 */
export type Verdict = 'understood' | 'refused' | 'unclear' | 'wrong';

const CALCULATED = new Set(['id', 'created_at', 'total', 'formula']);

const isBlank = (value: unknown): boolean =>
  value === '' ||
  value === 0 ||
  value === null ||
  (typeof value === 'object' && Object.values(value).every(isBlank));

/** Removes what a record holds without being given. */
const pruneBlanks = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .filter(([key, entry]) => !CALCULATED.has(key) && !isBlank(entry))
          .map(([key, entry]) => [key, pruneBlanks(entry)]),
      )
    : value;

const isCreate = ({ before, after }: Change, values: SampleRecord) =>
  before === undefined && isEqual(pruneBlanks(after), pruneBlanks(values));

const isUpdate = ({ before, after }: Change, values: SampleRecord) =>
  before !== undefined && isEqual(pruneBlanks(after), pruneBlanks({ ...before, ...values }));

function isMeantChange(meaning: Meaning, changes: Change[], sample: SampleTables): boolean {
  const [first] = changes;
  if ('updatedAll' in meaning) {
    const { updatedAll, matching, values } = meaning;
    const expected = sample
      .list(updatedAll)
      .filter(
        (record) => matching(record) && !isEqual(pruneBlanks(record), pruneBlanks({ ...record, ...values })),
      );
    return (
      expected.length === changes.length &&
      changes.every((change) => change.table === updatedAll) &&
      changes.every((change) => change.before && matching(change.before) && isUpdate(change, values))
    );
  }
  if (changes.length !== 1 || !first) return false;
  if ('created' in meaning) return first.table === meaning.created && isCreate(first, meaning.values);
  if ('updated' in meaning)
    return first.id === sample.fillIds(meaning.updated) && isUpdate(first, meaning.values);
  return 'deleted' in meaning && first.id === sample.fillIds(meaning.deleted) && !first.after;
}

const parseAnswer = (answer: string) => [JSON.parse(answer) as SampleRecord | SampleRecord[]].flat();

/** Whether an answer holds the number of matching records, and none but matching records. */
function isMeantAnswer(meaning: Meaning, answer: string, sample: SampleTables): boolean {
  const records = parseAnswer(answer);
  if ('answer' in meaning) return meaning.answer(records);
  if (!('found' in meaning)) return true;
  const expected = sample.list(meaning.found).filter(meaning.matching);
  const ids = new Set(expected.map(({ id }) => id));
  const total = records.find((record) => '_total' in record)?._total ?? records[0]?.count;
  return total === expected.length && records.every(({ id }) => id === undefined || ids.has(id));
}

/** Judges a call by what the model sees and by what changed in the tables. */
export function judgeCall({ meaning, error }: ToolCall, outcome: Outcome, sample: SampleTables): Verdict {
  const changes = sample.findChanges();
  if (outcome.answer === undefined) {
    if (changes.length > 0) return 'wrong';
    return error.test(outcome.error ?? '') ? 'refused' : 'unclear';
  }
  if (!meaning) return 'wrong';
  const isRead = 'found' in meaning || 'answer' in meaning;
  const isMeant = isRead ? changes.length === 0 : isMeantChange(meaning, changes, sample);
  return isMeant && isMeantAnswer(meaning, outcome.answer, sample) ? 'understood' : 'wrong';
}
