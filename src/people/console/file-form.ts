/**
 * Reads a form that may carry a file, as `multipart/form-data`. Its fields are then read like those of any other form;
 * the file is given by {@link fileOf}. Only of somebody who is signed in more than a few bytes are read.
 */
import type { Request, RequestHandler } from 'express';
import express from 'express';
import { ATTACHMENT_BYTES_MAX, FILE_NAME_MAX } from '../../alerts/review/attachment.store.ts';
import type { NewFile } from '../../alerts/review/review.ts';
import type { Auth } from './auth.ts';
import { sendFault } from './reply.ts';

/** Bytes of the other fields, and of what divides them. */
const FIELDS_BYTES_MAX = 16 * 1024;

const MULTIPART = 'multipart/form-data';

const files = new WeakMap<Request, NewFile>();

/** The file that came with the form; undefined when none was chosen. */
export function fileOf(request: Request): NewFile | undefined {
  return files.get(request);
}

/** Reads it; `form` reads one without a file. */
export function createFileForm(auth: Pick<Auth, 'callerOf'>, form: RequestHandler): RequestHandler {
  const limit = ATTACHMENT_BYTES_MAX + FIELDS_BYTES_MAX;
  const raw = express.raw({ limit, type: MULTIPART, inflate: false });
  return (request, response, next) => {
    if (request.is(MULTIPART) === false) {
      form(request, response, next);
      return;
    }
    // Whoever is not signed in is sent to sign in, whatever they send.
    if (auth.callerOf(request)?.kind !== 'person') {
      next();
      return;
    }
    raw(request, response, (error: unknown) => {
      if (error !== undefined) {
        next(error);
        return;
      }
      readParts(request).then(
        () => next(),
        () => sendFault(response, 400, UNREADABLE),
      );
    });
  };
}

const UNREADABLE = { code: 'INVALID_REQUEST', message: 'The form cannot be read.' };

/** The platform's own parser; the fields become what a plain form would have sent. */
async function readParts(request: Request): Promise<void> {
  const bytes: unknown = request.body;
  const headers = { 'content-type': request.get('content-type') ?? '' };
  const body = Buffer.isBuffer(bytes) ? new Uint8Array(bytes) : new Uint8Array();
  const parts = await new Response(body, { headers }).formData();
  const fields = new URLSearchParams();
  for (const [name, value] of parts) {
    if (typeof value === 'string') fields.append(name, value);
    else if (value.size > 0) {
      const fileName = fileNameOf(value.name);
      files.set(request, { fileName, body: Buffer.from(await value.arrayBuffer()) });
    }
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
