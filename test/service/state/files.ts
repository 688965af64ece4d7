import type { FilePart } from '../data/readValue';
import type { IdGenerator } from './random';

/** Files offered for download on the second origin: exports, PDFs, uploads. */
export class Files {
  /** Set once the second listener has its port. */
  baseUrl = '';
  private readonly byPath = new Map<string, FilePart>();

  constructor(private readonly ids: IdGenerator) {}

  /** Keeps the bytes and returns the URL they can be fetched from. */
  store(file: FilePart): string {
    const path = `/files/${encodeURIComponent(this.ids.next())}/${encodeURIComponent(file.filename)}`;
    this.byPath.set(path, file);
    return `${this.baseUrl}${path}`;
  }

  find(path: string): FilePart | undefined {
    return this.byPath.get(path);
  }
}
