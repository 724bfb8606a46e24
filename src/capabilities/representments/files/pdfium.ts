/**
 * PDFs as a reader sees them: their pages, their words, a picture of each. PDFium as WebAssembly, which reaches neither
 * files nor network; loaded by the first who asks.
 */
import type { PDFiumDocument, PDFiumLibrary } from '@hyzyla/pdfium';
import { encode } from 'fast-png';

export interface OpenedPdf {
  /** Of each page, in points. */
  readonly pages: readonly PageSize[];
  readonly words: string;
}

export interface PageSize {
  readonly width: number;
  readonly height: number;
}

export interface PagePicture extends PageSize {
  readonly png: Uint8Array;
}

/** Pixels of a picture: a page that is a long strip becomes narrower. */
const PIXELS_MAX = 4_000_000;

let loading: Promise<PDFiumLibrary> | undefined;

async function library(): Promise<PDFiumLibrary> {
  loading ??= import('@hyzyla/pdfium').then((pdfium) => pdfium.PDFiumLibrary.init());
  return await loading;
}

/** Undefined: it is no PDF, is broken, or asks for a password. */
export async function openPdf(content: Uint8Array): Promise<OpenedPdf | undefined> {
  return await withDocument(content, async (document) => {
    const pages = [...document.pages()];
    return {
      pages: pages.map((page) => {
        const { originalWidth: width, originalHeight: height } = page.getOriginalSize();
        return { width, height };
      }),
      words: pages.map((page) => page.getText()).join('\n'),
    };
  });
}

/** A page, from 0, as a PNG of this width. Undefined: there is no such page, or the PDF cannot be opened. */
export async function pictureOf(
  content: Uint8Array,
  { page: index, width: wanted }: { readonly page: number; readonly width: number },
): Promise<PagePicture | undefined> {
  return await withDocument(content, async (document) => {
    if (index >= document.getPageCount()) return undefined;
    const page = document.getPage(index);
    const { originalWidth, originalHeight } = page.getOriginalSize();
    const ratio = originalHeight / originalWidth;
    const width = Math.max(1, Math.floor(Math.min(wanted, Math.sqrt(PIXELS_MAX / ratio))));
    const height = Math.max(1, Math.round(width * ratio));
    const { data, ...drawn } = await page.render({ width, height, render: 'bitmap' });
    const png = encode({ width: drawn.width, height: drawn.height, data, channels: 4, depth: 8 });
    return { width: drawn.width, height: drawn.height, png };
  });
}

async function withDocument<Result>(
  content: Uint8Array,
  read: (document: PDFiumDocument) => Promise<Result>,
): Promise<Result | undefined> {
  const pdfium = await library();
  let document: PDFiumDocument | undefined;
  try {
    document = await pdfium.loadDocument(content);
    return await read(document);
  } catch {
    // A file may break its reader: the next one begins afresh.
    loading = undefined;
    return undefined;
  } finally {
    if (loading !== undefined) document?.destroy();
  }
}
