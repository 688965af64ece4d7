import { selectRecords } from '../data/list';
import { asText, type StoredRecord, type Table } from '../data/table';
import { compilePrimary } from '../filter/compile';
import type { Access } from './access';
import type { Application } from './application';
import type { Job } from './jobs';
import { formatTimestamp } from './time';

export interface ExportTemplate {
  id: string;
  name: string;
  table: Table;
  /** Slugs, in the order of the columns. */
  columns: string[];
}

interface ExportEntry {
  id: string;
  template: ExportTemplate;
  job: Job;
  downloadUrl: string;
}

/** Exports of records as CSV files on the second origin. */
export class Exports {
  readonly templates: ExportTemplate[] = [];
  readonly queue: ExportEntry[] = [];

  constructor(private readonly app: Application) {}

  start(
    template: ExportTemplate,
    { filters, columns = template.columns }: { filters?: unknown; columns?: string[] },
    access: Access,
  ): ExportEntry {
    const { table } = template;
    const test = compilePrimary(filters, { ...access, table });
    const slugs = columns.filter((slug) => {
      const isKnown = table.fields.some((field) => field.slug === slug);
      if (!isKnown) access.report(`column "${slug}" is no field of ${table.name}`);
      return isKnown;
    });
    const entry: ExportEntry = {
      id: this.app.ids.next(),
      template,
      downloadUrl: '',
      job: this.app.jobs.start((fraction) => {
        if (fraction < 1) return;
        const bytes = Buffer.from(formatCsv(selectRecords(table, test, [], access), table, slugs, this.app));
        entry.downloadUrl = this.app.files.store({
          filename: `${entry.id}.csv`,
          contentType: 'text/csv',
          bytes,
        });
      }),
    };
    this.queue.push(entry);
    return entry;
  }

  /** Spec: Export queue entry. */
  describe({ id, template, job, downloadUrl }: ExportEntry): Record<string, unknown> {
    const { table } = template;
    const { statusWords, timeZone } = this.app.options;
    const { exportRunning, exportEnded } = statusWords;
    return {
      id,
      dataTable: { id: table.id, name: table.name },
      exportTemplate: { id: template.id, name: template.name },
      status: downloadUrl ? exportEnded : exportRunning,
      complete: Math.floor(job.fraction * 100),
      start_date: formatTimestamp(job.startedAt, timeZone),
      end_date: job.endedAt === undefined ? null : formatTimestamp(job.endedAt, timeZone),
      download_url: downloadUrl,
    };
  }
}

function formatCsv(records: StoredRecord[], table: Table, slugs: string[], app: Application): string {
  const fields = slugs.flatMap((slug) => table.findField(slug) ?? []);
  const rows = records.map((record) => fields.map(({ key, to }) => formatCell(record[key], to, app)));
  return [fields.map(({ name }) => name), ...rows]
    .map((row) => `${row.map(quoteCell).join(',')}\r\n`)
    .join('');
}

/** Connections by their display text; several values are separated by commas. */
function formatCell(value: unknown, to: string | undefined, app: Application): string {
  if (!Array.isArray(value)) return asText(value);
  return value
    .map((item) => (to ? (app.findTable(to)?.getDisplayText(String(item)) ?? '') : asText(item)))
    .join(',');
}

const quoteCell = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
