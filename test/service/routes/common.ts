import { z } from 'zod';
import type { Table } from '../data/table';
import { notFound } from '../http/errors';
import type { Access } from '../state/access';

export const pageQuery = z.coerce.number().int().min(1).default(1);
export const limitQuery = z.coerce.number().int().min(1).optional();
export const booleanQuery = z.enum(['true', 'false']).transform((value) => value === 'true');
export const requiredText = z.string().min(1, 'This field is required');

/** A table by its encoded id, the only name the API knows. */
export function tableById(id: string | undefined, { app }: Pick<Access, 'app'>): Table {
  const table = app.tables.find((candidate) => candidate.id === id);
  if (!table) throw notFound('Table');
  return table;
}

export function byId<T extends { id: string }>(items: readonly T[], id: string | undefined, what: string): T {
  const item = items.find((candidate) => candidate.id === id);
  if (!item) throw notFound(what);
  return item;
}

export const success = (rest: Record<string, unknown>) => ({ type: 'success', ...rest });
