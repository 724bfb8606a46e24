/**
 * Pages of files as pictures, as the bank sees them. The browser is never given the file itself, whatever is in it.
 */
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import type { Visit } from '../../../surface/web/visit.ts';
import { sendError } from '../../../surface/web/visit.ts';
import { contentHash } from './content-hash.ts';
import type { Part } from './join-pdf.ts';
import { joinPdf } from './join-pdf.ts';
import type { PagePicture } from './pdfium.ts';
import { openPdf, pictureOf } from './pdfium.ts';

/** Pixels: twice the width at which a column of the page shows it. */
const WIDTH = 900;

/** Pictures that this process keeps, by content: about 10 MB. */
const KEPT_MAX = 60;
const kept = new Map<string, PagePicture>();

async function asPdf(file: Part): Promise<Uint8Array> {
  return file.type === 'application/pdf' ? file.content : await joinPdf([file]);
}

/** Its pages, each as a picture below `path`; loaded as they come into view. */
export async function pagePictures(file: Part, path: string, title: string): Promise<Html> {
  const opened = await openPdf(await asPdf(file));
  const pages = opened?.pages ?? [];
  return html`<ol class="pages">${pages.map(({ width, height }, index) => {
    const size = html`width="${WIDTH}" height="${Math.round((WIDTH * height) / width)}"`;
    return html`<li><img src="${path}/${index + 1}" ${size} loading="lazy" alt="${title}, page ${index + 1} of ${pages.length}"></li>`;
  })}</ol>`;
}

/** Sends the page that the path names; a browser that has it already is told so. */
export async function sendPicture(visit: Visit, file: Part): Promise<void> {
  const { request, response } = visit;
  const number = Number(request.params['page']);
  const key = `${contentHash(file.content)}.${number}`;
  const picture = Number.isInteger(number) && number > 0 ? await drawn(key, file, number) : null;
  if (picture == null) {
    return sendError(visit, 404, { title: 'No such page', message: 'The file has fewer pages.' });
  }
  response.set({ 'cache-control': 'private, no-cache', etag: `"${key}"` });
  response.type('image/png').send(Buffer.from(picture.png));
}

async function drawn(key: string, file: Part, number: number): Promise<PagePicture | undefined> {
  const known = kept.get(key);
  kept.delete(key);
  const picture = known ?? (await pictureOf(await asPdf(file), { page: number - 1, width: WIDTH }));
  if (picture === undefined) return undefined;
  kept.set(key, picture);
  const [oldest] = kept.keys();
  if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
  return picture;
}
