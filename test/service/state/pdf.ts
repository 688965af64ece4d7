import type { Table } from '../data/table';

export interface PdfTemplate {
  id: string;
  name: string;
  table: Table;
}

const A4: [number, number] = [595, 842];
const MARGIN = 50;
const LINE = 16;

/** A PDF with a title and one line per value. */
export async function renderPdf(title: string, values: Record<string, string>): Promise<Buffer> {
  // Loaded on first use: most tests start the service and create no PDF.
  const { PDFDocument, StandardFonts } = await import('pdf-lib');
  const document = await PDFDocument.create();
  document.setTitle(title);
  const font = await document.embedFont(StandardFonts.Helvetica);
  let page = document.addPage(A4);
  let y = A4[1] - MARGIN;
  page.drawText(toPrintable(title), { x: MARGIN, y, size: 18, font });
  for (const [label, value] of Object.entries(values)) {
    y -= LINE;
    if (y < MARGIN) {
      page = document.addPage(A4);
      y = A4[1] - MARGIN;
    }
    page.drawText(toPrintable(`${label}: ${value}`).slice(0, 90), { x: MARGIN, y, size: 10, font });
  }
  return Buffer.from(await document.save());
}

/** The built-in fonts have Latin letters only. */
const toPrintable = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?');
