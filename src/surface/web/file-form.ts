/**
 * Forms that may carry a file, as `multipart/form-data`. Their fields are then read like those of any other form. Only of
 * a reviewer who is signed in more than a few bytes are read; anyone who is not is sent to sign in, whatever they send.
 * The parts are read once the form has the person's token, and is no heap of parts.
 */
import type { Request, RequestHandler } from 'express';
import express from 'express';
import { isAtLeast } from '../access/role.ts';
import { attach } from './attached-file.ts';
import type { Auth, Caller } from './auth.ts';
import { mayChange } from './auth.ts';

type Signed = Pick<Auth, 'callerOf'>;

/** Largest form whose files are read as text, in bytes: about 80,000 lines of an invoice. */
const UPLOAD_BYTES_MAX = 8 * 1024 * 1024;

/** Bytes of the fields next to an attachment, and of what divides them. */
const FIELDS_BYTES_MAX = 16 * 1024;

/** Characters of a file's name. */
const FILE_NAME_MAX = 200;

/** Parts of a form: the largest has eight. */
const PARTS_MAX = 32;

const TOKEN_PART = /name="csrf_token"\r\n\r\n([^\r\n]{1,200})\r\n/;
const BOUNDARY = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i;

const MULTIPART = 'multipart/form-data';

/** Reads a form whose files are text: each becomes a field. What is uploaded is read once and not kept. */
export function uploadForm({ auth }: { readonly auth: Signed }): RequestHandler {
  return multipartForm(auth, UPLOAD_BYTES_MAX, (_request, file) => file.text());
}

/**
 * Reads a form with an attachment of at most so many bytes, which is given by `fileOf` (`attached-file.ts`); `form` reads one
 * without a file.
 */
export function createFileForm(
  auth: Signed,
  form: RequestHandler,
  bytesMax: number,
): RequestHandler {
  const limit = bytesMax + FIELDS_BYTES_MAX;
  const withFile = multipartForm(auth, limit, async (request, file) => {
    if (file.size === 0) return undefined;
    const body = Buffer.from(await file.arrayBuffer());
    attach(request, { fileName: fileNameOf(file.name), body });
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
    const caller = auth.callerOf(request);
    // All forms with a file are for reviewers; the page refuses others.
    if (caller?.kind !== 'person' || !isAtLeast(caller.who.role, 'reviewer')) {
      next();
      return;
    }
    readBytes(request, response, (error?: unknown) => {
      if (error !== undefined) next(error);
      else if (isWorthReading(request, caller)) readParts(request, take).then(() => next(), next);
      else {
        request.body = '';
        next();
      }
    });
  };
}

/**
 * Whether the form has its person's token among its first bytes, and few parts: the platform's parser takes a second
 * for thousands. One that is not read is one without a token, which the page refuses.
 */
function isWorthReading(request: Request, caller: Caller): boolean {
  const bytes: unknown = request.body;
  if (!Buffer.isBuffer(bytes)) return false;
  const head = bytes.subarray(0, FIELDS_BYTES_MAX).toString('latin1');
  if (!mayChange(request, caller, TOKEN_PART.exec(head)?.[1])) return false;
  const boundary = BOUNDARY.exec(request.get('content-type') ?? '');
  const name = boundary?.[1] ?? boundary?.[2];
  return name !== undefined && countUpTo(bytes, `--${name}`, PARTS_MAX + 2) <= PARTS_MAX + 1;
}

/** How often it is there; counted no further than `max`. */
function countUpTo(bytes: Buffer, text: string, max: number): number {
  let count = 0;
  let at = bytes.indexOf(text);
  while (at !== -1 && count < max) {
    count += 1;
    at = bytes.indexOf(text, at + text.length);
  }
  return count;
}

/** The platform's own parser; the fields become what a plain form would have sent. */
async function readParts(request: Request, take: TakeFile): Promise<void> {
  const bytes: unknown = request.body;
  const headers = { 'content-type': request.get('content-type') ?? '' };
  const body = Buffer.isBuffer(bytes) ? new Uint8Array(bytes) : new Uint8Array();
  // A form that is broken off or malformed is one without fields: its token is missing, so it is refused.
  const form = await new Response(body, { headers }).formData().catch(() => new FormData());
  const fields = new URLSearchParams();
  for (const [name, value] of form) {
    const text = typeof value === 'string' ? value : await take(request, value);
    if (text !== undefined) fields.append(name, text);
  }
  request.body = fields.toString();
}

/** The last part of a path, without what a file system or a header would take for something else. */
export function fileNameOf(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must go
  const plain = last.replaceAll(/[\u0000-\u001f\u007f\u202a-\u202e\u2066-\u2069"]/g, '').trim();
  return plain === '' ? 'file' : plain.slice(-FILE_NAME_MAX);
}
