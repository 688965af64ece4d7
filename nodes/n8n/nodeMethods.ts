import { mapValues } from 'lodash';
import type { ILoadOptionsFunctions } from 'n8n-workflow';
import { isObject } from '../client/input/values';
import { getFilterChoices, getFilterFields, getFilterOperators } from './filter/filterLists';
import { recordDatabaseApiTest } from './http/testCredential';
import { listSearchMethods, loadOptionsMethods } from './lists/listPicker';
import { getColumns } from './lists/mapperColumns';
import { searchRecords } from './lists/recordPicker';
import {
  getParentFields,
  getFields,
  getFileFields,
  getTables,
  getUniqueFields,
  searchTables,
} from './lists/tablePickers';

/** n8n evaluates every stored text that begins with "=" as an expression, at any depth of a parameter. */
const isExpression = (value: unknown): boolean => typeof value === 'string' && value.startsWith('=');

/** Whether n8n would evaluate the value of an option or column. A list must not offer it. */
const isUnsafe = (entry: unknown): boolean =>
  isObject(entry) && (isExpression(entry.value) || isExpression(entry.id));

/**
 * Removes expressions from options and columns before the editor stores them. The texts come from the service, so
 * the designer of the application could add an expression that reads the workflow's data. Entries whose value is
 * an expression and default values that are expressions are removed. Any other text that begins with "=" gets a
 * leading apostrophe.
 */
export function toLiterals(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((entry) => !isUnsafe(entry)).map(toLiterals);
  if (isObject(value)) {
    const kept = Object.entries(value).filter(
      ([key, property]) => key !== 'defaultValue' || !isExpression(property),
    );
    return Object.fromEntries(kept.map(([key, property]) => [key, toLiterals(property)]));
  }
  return isExpression(value) ? `'${String(value)}` : value;
}

type EditorMethod = (this: ILoadOptionsFunctions, ...args: never[]) => Promise<unknown>;

/** Wraps the methods so that their results contain no expressions. */
export const withLiteralResults = <T extends Record<string, EditorMethod>>(methods: T): T =>
  mapValues(
    methods,
    (method) =>
      async function (this: ILoadOptionsFunctions, ...args: never[]) {
        return toLiterals(await method.apply(this, args));
      },
  ) as unknown as T;

/** Methods that n8n's editor calls on every node: lists for dropdowns, mapper columns, credential test. */
export const nodeMethods = {
  credentialTest: { recordDatabaseApiTest },
  listSearch: withLiteralResults({ searchRecords, searchTables, ...listSearchMethods }),
  loadOptions: withLiteralResults({
    getParentFields,
    getFields,
    getFileFields,
    getFilterChoices,
    getFilterFields,
    getFilterOperators,
    getTables,
    getUniqueFields,
    ...loadOptionsMethods,
  }),
  resourceMapping: withLiteralResults({ getColumns }),
};
