import type { Table } from '../data/table';

export interface PdfTemplate {
  id: string;
  name: string;
  table: Table;
}

const A4: [number, number] = [595, 842];
const MARGIN = 50;
const LINE = 16;

/** A real, if plain, document: a title and one line per value. */
export async function makePdf(title: string, values: Record<string, string>): Promise<Buffer> {
  // Loaded when first needed: most tests never make a PDF, and all of them start the service.
  const { PDFDocument, StandardFonts } = await import('pdf-lib');
  const document = await PDFDocument.create();
  document.setTitle(title);
  const font = await document.embedFont(StandardFonts.Helvetica);
  let page = document.addPage(A4);
  let y = A4[1] - MARGIN;
  page.drawText(printable(title), { x: MARGIN, y, size: 18, font });
  for (const [label, value] of Object.entries(values)) {
    y -= LINE;
    if (y < MARGIN) {
      page = document.addPage(A4);
      y = A4[1] - MARGIN;
    }
    page.drawText(printable(`${label}: ${value}`).slice(0, 90), { x: MARGIN, y, size: 10, font });
  }
  return Buffer.from(await document.save());
}

/** The built-in fonts know Latin letters only. */
const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?');
