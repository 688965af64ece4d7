/* eslint-disable @n8n/community-nodes/require-node-api-error -- not shipped: runs on Node */
import { parse } from 'csv-parse/sync';
import type { Table } from '../data/table';
import { createRecord, PLAIN_WRITE } from '../data/writes';
import { createValidationError, ResponseError } from '../http/errors';
import type { Access } from './access';
import type { Application } from './application';
import { formatTimestamp } from './time';

export interface ImportTemplate {
  id: string;
  name: string;
  table: Table;
}

interface ImportEntry {
  id: string;
  isEnded: boolean;
  totalRows: number;
  processedRows: number;
  errorRows: number;
  createdAt: number;
}

type Row = Record<string, string>;

/** Uploaded CSV files, whose rows become records while `jobMs` passes. */
export class Imports {
  readonly templates: ImportTemplate[] = [];
  readonly queue: ImportEntry[] = [];

  constructor(private readonly app: Application) {}

  addTemplate(table: Table): ImportTemplate {
    const template = { id: this.app.ids.next(), name: `${table.name} from CSV`, table };
    this.templates.push(template);
    return template;
  }

  start({ table }: ImportTemplate, csv: Buffer, user: Access['user']): ImportEntry {
    const rows = readRows(csv);
    const entry: ImportEntry = {
      id: this.app.ids.next(),
      isEnded: false,
      totalRows: rows.length,
      processedRows: 0,
      errorRows: 0,
      createdAt: this.app.options.clock.now(),
    };
    // Mistakes in the file are not violations of the client.
    const access: Access = { app: this.app, user, report: () => undefined };
    this.app.jobs.start((fraction) => {
      for (const row of rows.slice(entry.processedRows, Math.floor(rows.length * fraction))) {
        if (!insertRow(table, row, access)) entry.errorRows++;
        entry.processedRows++;
      }
      entry.isEnded = fraction === 1;
    });
    this.queue.push(entry);
    return entry;
  }

  /** Spec: Import queue entry. */
  describe({
    id,
    isEnded,
    totalRows,
    processedRows,
    errorRows,
    createdAt,
  }: ImportEntry): Record<string, unknown> {
    const { statusWords, importHeading, timeZone } = this.app.options;
    const { importRunning, importEnded } = statusWords;
    const heading = importHeading === 'counted' ? 1 : 0;
    return {
      id,
      status: isEnded ? importEnded : importRunning,
      total_rows: totalRows + heading,
      processed_rows: processedRows + heading,
      error_rows: errorRows,
      created_at: formatTimestamp(createdAt, timeZone),
    };
  }
}

function readRows(csv: Buffer): Row[] {
  try {
    return parse(csv, { columns: true, bom: true, skip_empty_lines: true }) as Row[];
  } catch {
    throw createValidationError({ file: ['Invalid CSV'] });
  }
}

/** Whether the row becomes a record; the service may refuse it. */
function insertRow(table: Table, row: Row, access: Access): boolean {
  const entries = Object.entries(row).map(([header, text]) => parseCell(table, header, text));
  try {
    createRecord(table, { form: true, entries }, access, PLAIN_WRITE);
    return true;
  } catch (error) {
    if (error instanceof ResponseError) return false;
    throw error;
  }
}

/** Column headers are field names or slugs. Several values in one cell are separated by commas. */
function parseCell(table: Table, header: string, text: string): [string, unknown] {
  const field = table.fields.find(({ name, slug }) => name === header || slug === header);
  if (!field) return [header, text];
  const values = text.split(',').map((value) => value.trim());
  return [field.slug, field.format.repeats ? values.filter(Boolean) : text];
}
