import { select } from '../data/list';
import { asText, type StoredRecord, type Table } from '../data/table';
import { compilePrimary } from '../filter/compile';
import type { Access } from './access';
import type { Application } from './application';
import type { Job } from './jobs';
import { timestamp } from './time';

export interface ExportTemplate {
  id: string;
  name: string;
  table: Table;
  /** Slugs, in the order of the columns. */
  columns: string[];
}

export interface ExportEntry {
  id: string;
  template: ExportTemplate;
  job: Job;
  downloadUrl: string;
}

/** Exports of real records, as CSV offered on the second origin. */
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
        const bytes = Buffer.from(csv(select(table, test, [], access), table, slugs, this.app));
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
    return {
      id,
      dataTable: { id: table.id, name: table.name },
      exportTemplate: { id: template.id, name: template.name },
      status: downloadUrl ? 'Complete' : 'Processing',
      complete: Math.floor(job.fraction * 100),
      start_date: timestamp(job.startedAt),
      end_date: job.endedAt === undefined ? null : timestamp(job.endedAt),
      download_url: downloadUrl,
    };
  }
}

function csv(records: StoredRecord[], table: Table, slugs: string[], app: Application): string {
  const fields = slugs.flatMap((slug) => table.field(slug) ?? []);
  const rows = records.map((record) => fields.map(({ slug, to }) => cellText(record[slug], to, app)));
  return [fields.map(({ name }) => name), ...rows].map((row) => `${row.map(quoted).join(',')}\r\n`).join('');
}

/** Connections by what they show, several values with commas, composites in one line. */
function cellText(value: unknown, to: string | undefined, app: Application): string {
  if (!Array.isArray(value)) return asText(value);
  return value.map((item) => (to ? (app.table(to)?.display(String(item)) ?? '') : asText(item))).join(',');
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
