/** A text as PDF, with the fonts that every reader has. */
import PDFDocument from 'pdfkit';

/** The letters of the standard fonts (WinAnsi); all others. */
export const UNPRINTABLE = /[^\n\x20-\x7e\xa0-\xff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]/gu;

const MARGIN = 56;

/** The file that `write` draws; dated by `now`. */
export async function drawPdf(
  { title, now }: { readonly title: string; readonly now: Date },
  write: (file: PDFKit.PDFDocument) => void,
): Promise<Buffer> {
  const info = { Title: title, CreationDate: now, ModDate: now };
  const file = new PDFDocument({ size: 'A4', margin: MARGIN, info, bufferPages: true });
  const chunks: Buffer[] = [];
  file.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<Buffer>((done, fail) => {
    file.on('end', () => done(Buffer.concat(chunks)));
    file.on('error', fail);
  });
  write(file);
  file.end();
  return await ended;
}

/** The text as it is, on as many pages as it needs. The caller has looked for letters that are {@link UNPRINTABLE}. */
export async function textPdf(title: string, text: string, now: Date): Promise<Buffer> {
  return await drawPdf({ title, now }, (file) => {
    file.font('Helvetica').fontSize(10.5).text(text, { lineGap: 2 });
  });
}
