/**
 * Forms that may carry a file, as `multipart/form-data`. Their fields are then read like those of any other form. Only of
 * somebody who is signed in more than a few bytes are read; whoever is not is sent to sign in, whatever they send.
 */
import type { Request, RequestHandler } from 'express';
import express from 'express';
import { ATTACHMENT_BYTES_MAX, FILE_NAME_MAX } from '../../alerts/review/attachment.store.ts';
import type { NewFile } from '../../alerts/review/review.ts';
import type { Auth } from './auth.ts';

type Signed = Pick<Auth, 'callerOf'>;

/** Largest form whose files are read as text, in bytes: about 80,000 lines of an invoice. */
const UPLOAD_BYTES_MAX = 8 * 1024 * 1024;

/** Bytes of the fields beside an attachment, and of what divides them. */
const FIELDS_BYTES_MAX = 16 * 1024;

const MULTIPART = 'multipart/form-data';

/** Parts of a form: several times as many as the largest form of ours has. Each costs as much as a small body. */
const PARTS_MAX = 100;

/** Reads a form whose files are text: each becomes a field. What is uploaded is read once and not kept. */
export function uploadForm({ auth }: { readonly auth: Signed }): RequestHandler {
  return multipartForm(auth, UPLOAD_BYTES_MAX, (_request, file) => file.text());
}

const files = new WeakMap<Request, NewFile>();

/** The file that came with the form; undefined when none was chosen. */
export function fileOf(request: Request): NewFile | undefined {
  return files.get(request);
}

/** Reads a form with an attachment, which is given by {@link fileOf}; `form` reads one without a file. */
export function createFileForm(auth: Signed, form: RequestHandler): RequestHandler {
  const limit = ATTACHMENT_BYTES_MAX + FIELDS_BYTES_MAX;
  const withFile = multipartForm(auth, limit, async (request, file) => {
    if (file.size === 0) return undefined;
    const body = Buffer.from(await file.arrayBuffer());
    files.set(request, { fileName: fileNameOf(file.name), body });
    return undefined;
  });
  return (request, response, next) => {
    if (request.is(MULTIPART) === false) form(request, response, next);
    else withFile(request, response, next);
  };
}

/** Takes a file of the form; returns the text of its field, where it has one. */
type TakeFile = (request: Request, file: File) => Promise<string | undefined>;

function multipartForm(auth: Signed, limit: number, take: TakeFile): RequestHandler {
  const readBytes = express.raw({ limit, type: MULTIPART, inflate: false });
  return (request, response, next) => {
    if (auth.callerOf(request)?.kind !== 'person') {
      next();
      return;
    }
    readBytes(request, response, (error?: unknown) => {
      if (error === undefined) readParts(request, take).then(() => next(), next);
      else next(error);
    });
  };
}

/** The platform's own parser; the fields become what a plain form would have sent. */
async function readParts(request: Request, take: TakeFile): Promise<void> {
  const bytes: unknown = request.body;
  const headers = { 'content-type': request.get('content-type') ?? '' };
  const isRead = Buffer.isBuffer(bytes) && partsIn(bytes, headers['content-type']) <= PARTS_MAX;
  const body = isRead ? new Uint8Array(bytes) : new Uint8Array();
  // A form that is broken off or malformed is one without fields: its token is missing, so it is refused.
  const form = await new Response(body, { headers }).formData().catch(() => new FormData());
  const fields = new URLSearchParams();
  for (const [name, value] of form) {
    const text = typeof value === 'string' ? value : await take(request, value);
    if (text !== undefined) fields.append(name, text);
  }
  request.body = fields.toString();
}

/** How many parts the body has at most: how often the mark between them stands in it. */
function partsIn(bytes: Buffer, contentType: string): number {
  const [, quoted, plain] = /boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? [];
  const mark = `--${quoted ?? plain ?? ''}`;
  let count = 0;
  for (
    let at = bytes.indexOf(mark);
    at !== -1 && count <= PARTS_MAX;
    at = bytes.indexOf(mark, at + mark.length)
  )
    count += 1;
  return count;
}

/** The last part of a path, without what a file system or a header would take for something else. */
export function fileNameOf(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must go
  const plain = last.replaceAll(/[\u0000-\u001f\u007f\u202a-\u202e\u2066-\u2069"]/g, '').trim();
  return plain === '' ? 'file' : plain.slice(-FILE_NAME_MAX);
}
