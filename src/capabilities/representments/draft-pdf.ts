/**
 * The draft as PDF, with the fonts that every reader has. They hold the letters of Western Europe; others become `?`,
 * and the file says that the HTML has them.
 */
import { drawPdf, UNPRINTABLE } from './files/text-pdf.ts';
import type { Pack } from './pack.ts';
import { numbersOf, rowWords } from './pack.ts';

/** The file. `now` is its date. */
export async function draftPdf(pack: Pack, now: Date): Promise<Buffer> {
  return await drawPdf({ title: printable(pack.title), now }, (file) => write(file, pack));
}

function write(file: PDFKit.PDFDocument, pack: Pack): void {
  const { title, sections, cited, contentHash } = pack;
  file.font('Helvetica-Bold').fontSize(17).text(printable(title)).moveDown(0.5);
  for (const { heading, sentences } of sections) {
    file.moveDown(0.6).font('Helvetica-Bold').fontSize(11.5).text(printable(heading));
    file.font('Helvetica').fontSize(10.5);
    for (const sentence of sentences) {
      const cites = numbersOf(pack, sentence).map((number) => ` [${number}]`);
      file.text(printable(`${sentence.text}${cites.join('')}`), { lineGap: 2 });
    }
  }
  file.moveDown(1).font('Helvetica-Bold').fontSize(11.5).text('Records');
  file.font('Helvetica').fontSize(8.5);
  for (const [index, row] of cited.entries()) {
    file.text(printable(`${index + 1}. ${rowWords(row)}`));
  }
  const lacks = sections.some(({ sentences }) =>
    sentences.some(({ text }) => text.search(UNPRINTABLE) !== -1),
  );
  const note = lacks ? ' Letters shown as ? stand in the HTML file.' : '';
  file.moveDown(1).fillColor('#555555').text(`Draft ${contentHash}.${note}`);
}

function printable(text: string): string {
  return text.normalize('NFC').replaceAll(UNPRINTABLE, '?');
}
