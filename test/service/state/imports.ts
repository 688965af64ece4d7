import { parse } from 'csv-parse/sync';
import type { Table } from '../data/table';
import { createRecord, PLAIN_WRITE } from '../data/writes';
import { ApiError, invalid } from '../http/errors';
import type { Access } from './access';
import type { Application } from './application';
import { timestamp } from './time';

export interface ImportTemplate {
  id: string;
  name: string;
  table: Table;
}

/** Spec: Import queue entry. */
export interface ImportEntry {
  id: string;
  status: 'Processing' | 'Complete';
  total_rows: number;
  processed_rows: number;
  error_rows: number;
  created_at: string;
}

type Row = Record<string, string>;

/** CSV uploads that turn into records, a few rows at a time. */
export class Imports {
  readonly templates: ImportTemplate[] = [];
  readonly queue: ImportEntry[] = [];

  constructor(private readonly app: Application) {}

  start({ table }: ImportTemplate, csv: Buffer, user: Access['user']): ImportEntry {
    const rows = readRows(csv);
    const entry: ImportEntry = {
      id: this.app.ids.next(),
      status: 'Processing',
      total_rows: rows.length,
      processed_rows: 0,
      error_rows: 0,
      created_at: timestamp(this.app.options.clock.now()),
    };
    // What is wrong in a file is its author's mistake, not one of the client.
    const access: Access = { app: this.app, user, report: () => undefined };
    this.app.jobs.start((fraction) => {
      for (const row of rows.slice(entry.processed_rows, Math.floor(rows.length * fraction))) {
        if (!insert(table, row, access)) entry.error_rows++;
        entry.processed_rows++;
      }
      if (fraction === 1) entry.status = 'Complete';
    });
    this.queue.push(entry);
    return entry;
  }
}

function readRows(csv: Buffer): Row[] {
  try {
    return parse(csv, { columns: true, bom: true, skip_empty_lines: true }) as Row[];
  } catch {
    throw invalid({ file: ['Invalid CSV'] });
  }
}

function insert(table: Table, row: Row, access: Access): boolean {
  const entries = Object.entries(row).map(([header, text]) => cell(table, header, text));
  try {
    createRecord(table, { form: true, entries }, access, PLAIN_WRITE);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** A column is headed by the field's name or by its payload key; several values share a cell with commas. */
function cell(table: Table, header: string, text: string): [string, unknown] {
  const field = table.fields.find(({ name, slug }) => name === header || slug === header);
  if (!field) return [header, text];
  const values = text.split(',').map((value) => value.trim());
  return [field.slug, field.format.repeats ? values.filter(Boolean) : text];
}
