import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { isObject } from '../../model/input/isObject';
import { defineParameter } from '../operation/parameter';

/** Number of characters of a text that a model sees. */
const MAX_TEXT = 300;

/** Number of columns of a record that a model sees if no columns are chosen. */
const MAX_COLUMNS = 10;

export const returnSecretsOption = defineParameter({
  displayName: 'Return Secrets to AI',
  name: 'returnSecrets',
  type: 'boolean',
  default: true,
  description:
    'Whether an AI model that uses this node as a tool sees tokens, login links and hook addresses. Other workflows always get them.',
});

const cutText = (text: string): string =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… [cut, ${text.length} characters]` : text;

/** Copies a value and replaces each text in it by `convert`. */
function convertTexts(value: unknown, convert: (text: string, key: string) => string, key = ''): unknown {
  if (typeof value === 'string') return convert(value, key);
  if (Array.isArray(value)) return value.map((entry) => convertTexts(entry, convert, key));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [name, convertTexts(entry, convert, name)]),
  );
}

/**
 * Shortens the items that a tool returns to a model: "…" and the length replace the end of a long text.
 * @param secretKeys matches the keys whose texts a model must not see
 */
export const shortenAnswer = (items: INodeExecutionData[], secretKeys?: RegExp): INodeExecutionData[] =>
  items.map((item) => ({
    ...item,
    json: convertTexts(item.json, (text, key) =>
      secretKeys?.test(key) ? '•••' : cutText(text),
    ) as IDataObject,
  }));

/** Keys that are returned beside the columns: the ID, and the totals and actions of this package. */
const isAddedKey = (key: string) => key === 'id' || key.startsWith('_');

/**
 * Keeps the first ten columns of each record. The first record lists the others under `_moreColumns`, so that a
 * model can choose them.
 */
export function limitColumns<T extends { json: IDataObject }>(outputs: T[]): T[] {
  return outputs.map((output, index) => {
    const columns = Object.keys(output.json).filter((key) => !isAddedKey(key));
    const left = new Set(columns.slice(MAX_COLUMNS));
    if (left.size === 0) return output;
    const kept = Object.entries(output.json).filter(([key]) => !left.has(key));
    return {
      ...output,
      json: Object.fromEntries([
        ...kept,
        ...(index === 0 ? [['_moreColumns', [...left]]] : []),
      ]) as IDataObject,
    };
  });
}
