/** The options and the shortened answers of a node that runs as the tool of an AI agent. */
import { isEmpty, omit } from 'lodash';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { isObject } from '../../service';
import { defineParameter } from '../parameters/parameter';

const MAX_TEXT_LENGTH = 300;

/** Number of columns of a record that a model sees if no columns are chosen. */
const MAX_SHOWN_COLUMNS = 10;

export const returnSecretsOption = defineParameter({
  displayName: 'Return Secrets to AI',
  name: 'returnSecrets',
  type: 'boolean',
  default: false,
  forTools: 'only',
  description: 'Whether the AI model sees tokens, login links and hook addresses',
});

export const answerSizeOption = defineParameter({
  displayName: 'Answer Size (Tokens)',
  name: 'answerTokens',
  type: 'number',
  typeOptions: { minValue: 200 },
  default: 2000,
  forTools: 'only',
  description: 'How long an answer may be, approximately. The rest is left out, with a mark.',
});

/** JSON has 2.3 to 3 characters per token (o200k_base). A low number keeps an answer within its limit. */
const CHARACTERS_PER_TOKEN = 2.4;

/** The maximum lengths of texts, lists and objects. The ends of longer ones are left out. */
interface Cut {
  textLength: number;
  listLength: number;
  keyCount: number;
}

/** The mildest cut comes first. The next cut is used only if fewer than `MIN_SHOWN_ITEMS` items fit. */
const CUT_STEPS: [Cut, ...Cut[]] = [
  { textLength: MAX_TEXT_LENGTH, listLength: Infinity, keyCount: Infinity },
  { textLength: MAX_TEXT_LENGTH, listLength: 50, keyCount: Infinity },
  { textLength: MAX_TEXT_LENGTH, listLength: 15, keyCount: 60 },
  { textLength: 100, listLength: 5, keyCount: 30 },
  { textLength: 60, listLength: 3, keyCount: 10 },
];

const MIN_SHOWN_ITEMS = 10;

const cutText = (text: string, maximum: number): string =>
  text.length > maximum
    ? `${text.slice(0, maximum).replace(/[\ud800-\udbff]$/, '')}… [cut, ${text.length} characters]`
    : text;

/** Copies a value, cuts it, and hides texts and numbers under keys other than `shownKeys`. */
function cutValue(value: unknown, cut: Cut, shownKeys?: ReadonlySet<string>, key = ''): unknown {
  const isSecret = shownKeys !== undefined && !shownKeys.has(key);
  if (isSecret && (typeof value === 'string' || typeof value === 'number')) return '•••';
  if (typeof value === 'string') return cutText(value, cut.textLength);
  if (Array.isArray(value)) {
    const entries = value.slice(0, cut.listLength).map((entry) => cutValue(entry, cut, shownKeys, key));
    const left = value.length - entries.length;
    return left > 0 ? [...entries, `… [cut, ${left} more of ${value.length}]`] : entries;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  const left = entries.slice(cut.keyCount).map(([name]) => name);
  return Object.fromEntries([
    ...entries.slice(0, cut.keyCount).map(([name, entry]) => [name, cutValue(entry, cut, shownKeys, name)]),
    ...(left.length > 0 ? [['_moreKeys', cutText(left.join(', '), MAX_TEXT_LENGTH)]] : []),
  ]);
}

/** What an AI model sees of the answer of an operation. */
export interface AnswerOptions {
  tokens?: number;
  /**
   * The output keys whose values a model sees without Return Secrets to AI; all by default. Any other key may hold a
   * secret, because the spec does not show every response. See silences.md: `autoLogin`.
   */
  shownKeys?: ReadonlySet<string>;
  /** Advice in a shortened answer: how the model gets the rest. By default: with a filter, or fewer fields. */
  cutAdvice?: string;
}

const DEFAULT_CUT_ADVICE = 'To see others, give a filter that matches fewer records, or fewer fields.';

/** The keys of an error item, whose texts hold no secret. */
const ERROR_ITEM_KEYS = ['error', 'message', '_retryAt'];

const isErrorItem = ({ json }: INodeExecutionData): boolean =>
  'error' in json && isEmpty(omit(json, ERROR_ITEM_KEYS));

/** Cuts items, and takes them until their JSON has `maximum` characters. Always takes the first item. */
function cutItems(items: INodeExecutionData[], cut: Cut, maximum: number, shownKeys?: ReadonlySet<string>) {
  const taken: INodeExecutionData[] = [];
  let length = 0;
  for (const item of items) {
    const json = cutValue(item.json, cut, isErrorItem(item) ? undefined : shownKeys) as IDataObject;
    length += JSON.stringify(json).length + 1;
    if (length > maximum && taken.length > 0) break;
    taken.push({ ...item, json });
  }
  return { taken, cut, fits: length <= maximum };
}

const CUT_NOTE_LENGTH = 300;

/**
 * Shortens an answer, so that it does not fill the model's context. Cuts long texts, and also lists and
 * objects if fewer than ten items fit. Items that still do not fit are left out, and the first item gets a
 * note under `_cut`.
 */
export function shortenAnswer(
  items: INodeExecutionData[],
  { tokens = answerSizeOption.default, shownKeys, cutAdvice = DEFAULT_CUT_ADVICE }: AnswerOptions = {},
): INodeExecutionData[] {
  const maximum = tokens * CHARACTERS_PER_TOKEN - CUT_NOTE_LENGTH;
  let answer = cutItems(items, CUT_STEPS[0], maximum, shownKeys);
  for (const cut of CUT_STEPS.slice(1)) {
    if (answer.fits || answer.taken.length >= MIN_SHOWN_ITEMS) break;
    answer = cutItems(items, cut, maximum, shownKeys);
  }
  const [first, ...others] = answer.taken;
  if (!first || (answer.cut === CUT_STEPS[0] && answer.taken.length === items.length)) return answer.taken;
  const { length } = answer.taken;
  const shown =
    length < items.length ? `${length} of ${items.length} items are shown` : 'Lists and texts are cut';
  const _cut = `${shown}: an answer has at most about ${tokens} tokens. ${cutAdvice}`;
  const text = JSON.stringify(first.json);
  // The first item can be too long in spite of all cuts, for example if its objects are deep.
  const json = text.length > maximum ? { start: text.slice(0, maximum / 2) } : first.json;
  return [{ ...first, json: { _cut, ...json } }, ...others];
}

/** Whether a key is `id`, or a key that this package adds, such as `_total` or `_action`. */
const isMetadataKey = (key: string) => key === 'id' || key.startsWith('_');

/** Keeps ten columns of each record. The first record lists its other columns under `_moreColumns`. */
export function limitColumns<T extends { json: IDataObject }>(outputs: T[]): T[] {
  return outputs.map((output, index) => {
    const columns = Object.keys(output.json).filter((key) => !isMetadataKey(key));
    const left = columns.slice(MAX_SHOWN_COLUMNS);
    if (left.length === 0) return output;
    const json = { ...omit(output.json, left), ...(index === 0 && { _moreColumns: left }) };
    return { ...output, json };
  });
}
