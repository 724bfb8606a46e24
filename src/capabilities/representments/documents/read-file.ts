/**
 * A file on its way into the library: what it is by its first bytes, whether it can be opened and joined, and that it
 * holds no card number. Nothing is cut: what is too large is refused with what to do.
 */
import { inflateSync } from 'node:zlib';
import { holdsCardNumber } from '../../../base/kernel/card-number.ts';
import type { EvidenceFileType } from '../../../service/wire/processor-dispute.ts';
import { contentHash } from '../files/content-hash.ts';
import type { Part } from '../files/join-pdf.ts';

/** Bytes of a document: what the strictest processor takes for a whole submission. The table holds it too. */
export const DOCUMENT_BYTES_MAX = 4 * 1024 * 1024;

/** Pages of a document; the table holds it too. */
export const DOCUMENT_PAGES_MAX = 50;

/** Pixels of a picture: a photograph, or a screenshot of a long page. */
const PIXELS_MAX = 24_000_000;

export interface ReadFile {
  readonly type: EvidenceFileType;
  readonly body: Buffer;
  readonly pages: number;
  readonly sha256: string;
}

export type FileReading =
  | { readonly ok: true; readonly file: ReadFile }
  | { readonly ok: false; readonly message: string };

/** Reads it; a text becomes a PDF with this title. */
export async function readFile(
  content: Buffer,
  { title, now }: { readonly title: string; readonly now: Date },
): Promise<FileReading> {
  if (content.length === 0) return refused('The file is empty. Choose another.');
  if (content.length > DOCUMENT_BYTES_MAX) return tooLarge(content.length);
  const type = typeOf(content);
  if (type === 'application/pdf') return await readPdf(content);
  if (type !== undefined) return await readPicture({ type, content });
  const text = textOf(content);
  if (text === undefined) {
    return refused('The file is no PDF, PNG, JPEG or text. Save it as one of them.');
  }
  const { textPdf, UNPRINTABLE } = await import('../files/text-pdf.ts');
  if (text.search(UNPRINTABLE) !== -1) {
    return refused(
      'The text has letters that the fonts of every reader lack. Make a PDF of it, which brings its own.',
    );
  }
  if (holdsCardNumber(text)) return refused(CARD);
  return await readPdf(await textPdf(title, text, now));
}

const CARD = 'The file holds a card number. Take it out, and add the file again.';

function refused(message: string): FileReading {
  return { ok: false, message };
}

/** For people. */
export function tooLargeWords(file: string, bytes: number): string {
  return `${file} has ${bytes} bytes, and ${DOCUMENT_BYTES_MAX} are taken. Save its pictures smaller, or leave pages out.`;
}

function tooLarge(bytes: number): FileReading {
  return refused(tooLargeWords('The file', bytes));
}

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const JPEG = Buffer.from('ffd8ff', 'hex');

function typeOf(content: Buffer): EvidenceFileType | undefined {
  const begins = (bytes: Buffer): boolean => content.subarray(0, bytes.length).equals(bytes);
  if (begins(Buffer.from('%PDF-'))) return 'application/pdf';
  if (begins(PNG)) return 'image/png';
  return begins(JPEG) ? 'image/jpeg' : undefined;
}

/** Undefined: it is no text. */
function textOf(content: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
    const plain = text.replaceAll('\r\n', '\n').replaceAll('\t', '    ').normalize('NFC');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no text has them
    return plain.trim() === '' || /[\u0000-\u0009\u000b-\u001f\u007f]/.test(plain)
      ? undefined
      : plain;
  } catch {
    return undefined;
  }
}

async function readPdf(content: Buffer): Promise<FileReading> {
  const { openPdf } = await import('../files/pdfium.ts');
  const opened = await openPdf(content);
  const part: Part = { type: 'application/pdf', content };
  if (opened === undefined || opened.pages.length === 0 || !(await canBeJoined(part))) {
    return refused(
      'The PDF cannot be opened: it is broken, empty, or asks for a password. Save it anew, without one.',
    );
  }
  const pages = opened.pages.length;
  if (pages > DOCUMENT_PAGES_MAX) {
    return refused(
      `The PDF has ${pages} pages, and ${DOCUMENT_PAGES_MAX} are taken. Leave out those that show nothing.`,
    );
  }
  if (holdsCardNumber(opened.words)) return refused(CARD);
  return taken(part, pages);
}

async function readPicture(part: Part & { readonly content: Buffer }): Promise<FileReading> {
  const isSound = part.type === 'image/jpeg' || isBoundedPng(part.content);
  if (!isSound || !(await canBeJoined(part))) {
    return refused('The picture cannot be opened, or is larger than a screen shows. Save it anew.');
  }
  return taken(part, 1);
}

async function canBeJoined(part: Part): Promise<boolean> {
  const { joinPdf } = await import('../files/join-pdf.ts');
  try {
    await joinPdf([part]);
    return true;
  } catch {
    return false;
  }
}

function taken({ type, content }: Part, pages: number): FileReading {
  const body = Buffer.from(content);
  if (body.length > DOCUMENT_BYTES_MAX) return tooLarge(body.length);
  return { ok: true, file: { type, body, pages, sha256: contentHash(body) } };
}

/** Whether its pixels are as many as its head says, and not too many: a few packed bytes can hold billions. */
function isBoundedPng(content: Buffer): boolean {
  const parts: Buffer[] = [];
  const [width, height] =
    content.length < 33 ? [0, 0] : [content.readUInt32BE(16), content.readUInt32BE(20)];
  if (width * height === 0 || width * height > PIXELS_MAX) return false;
  let at: number = PNG.length;
  while (at + 8 <= content.length) {
    const length = content.readUInt32BE(at);
    if (content.toString('latin1', at + 4, at + 8) === 'IDAT') {
      parts.push(content.subarray(at + 8, at + 8 + length));
    }
    at += 12 + length;
  }
  try {
    // At most four values of two bytes for a pixel, and one byte for a line.
    inflateSync(Buffer.concat(parts), { maxOutputLength: width * height * 8 + height * 8 });
    return true;
  } catch {
    return false;
  }
}
