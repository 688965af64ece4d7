import { z } from 'zod';
import type { Table } from '../data/table';
import { createNotFoundError } from '../http/errors';
import type { Access } from '../state/access';
import type { Application } from '../state/application';

export const pageQuery = z.coerce.number().int().min(1).default(1);
export const limitQuery = z.coerce.number().int().min(1).optional();
export const booleanQuery = z.enum(['true', 'false']).transform((value) => value === 'true');
export const requiredText = z.string().min(1, 'This field is required');

/** A table by its encoded id. @throws ResponseError 404 */
export function getTableById(id: string | undefined, { app }: Pick<Access, 'app'>): Table {
  const table = app.tables.find((candidate) => candidate.id === id);
  if (!table) throw createNotFoundError('Table');
  return table;
}

export function getById<T extends { id: string }>(
  items: readonly T[],
  id: string | undefined,
  what: string,
): T {
  const item = items.find((candidate) => candidate.id === id);
  if (!item) throw createNotFoundError(what);
  return item;
}

export const createSuccess = (rest: Record<string, unknown>) => ({ type: 'success', ...rest });

/** A list in an answer that the spec does not show. */
export const createListSuccess = ({ options }: Application, items: unknown[], rest: object = {}) =>
  createSuccess({ [options.listKey]: items, total_items: items.length, ...rest });

/** A single thing in an answer that the spec does not show. */
export const createItemSuccess = ({ options }: Application, item: unknown) =>
  createSuccess({ [options.itemKey]: item });

/** The answer to an import or export trigger, which the spec does not show. */
export const createRunSuccess = ({ options }: Application, msg: string, queueId: string) =>
  createSuccess({ msg, [options.queueIdKey]: queueId });

/** The table of a template, whose fields the spec does not show beyond the identifiers. */
export const formatTemplateTable = ({ options }: Application, { id, name }: Table) =>
  options.templateTable === 'named' ? { dataTable: { id, name } } : {};
