/**
 * Several files as one PDF: pages of PDFs as they are, each picture on a page of its own. The same files give the same
 * bytes. What is no page (forms, scripts, attachments) stays behind.
 */
import type { PDFImage } from '@cantoo/pdf-lib';
import { PDFDocument } from '@cantoo/pdf-lib';
import type { EvidenceFileType } from '../../../service/wire/processor-dispute.ts';

export interface Part {
  readonly type: EvidenceFileType;
  readonly content: Uint8Array;
}

/** A4, in points. */
const PAGE = { width: 595.28, height: 841.89 };
const MARGIN = 28;

/** @throws {Error} when a part is not what its type says */
export async function joinPdf(parts: readonly Part[]): Promise<Uint8Array> {
  const whole = await PDFDocument.create({ updateMetadata: false });
  for (const { type, content } of parts) {
    if (type === 'application/pdf') {
      const part = await PDFDocument.load(content, { updateMetadata: false });
      for (const page of await whole.copyPages(part, part.getPageIndices())) whole.addPage(page);
    } else {
      const picture =
        type === 'image/png' ? await whole.embedPng(content) : await whole.embedJpg(content);
      addPicture(whole, picture);
    }
  }
  return await whole.save({ useObjectStreams: false, addDefaultPage: false });
}

/** Pages of a file. @throws {Error} when it is not what its type says */
export async function pagesIn({ type, content }: Part): Promise<number> {
  if (type !== 'application/pdf') return 1;
  return (await PDFDocument.load(content, { updateMetadata: false })).getPageCount();
}

/** As large as it fits; never larger than it is. */
function addPicture(whole: PDFDocument, picture: PDFImage): void {
  const room = { width: PAGE.width - 2 * MARGIN, height: PAGE.height - 2 * MARGIN };
  const scale = Math.min(1, room.width / picture.width, room.height / picture.height);
  const { width, height } = picture.scale(scale);
  const place = { x: MARGIN, y: PAGE.height - MARGIN - height };
  whole.addPage([PAGE.width, PAGE.height]).drawImage(picture, { ...place, width, height });
}
