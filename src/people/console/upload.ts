/**
 * Forms with a file, of somebody who is signed in only: their fields, and the file's text, become a form as all the
 * others are. What is uploaded is read once and not kept.
 */
import type { RequestHandler } from 'express';
import express from 'express';
import type { PageContext } from './visit.ts';

/** Largest form with a file, in bytes: about 80,000 lines of an invoice. */
const UPLOAD_BYTES_MAX = 8 * 1024 * 1024;

const TYPE = 'multipart/form-data';

/** Reads the form; every field, and each file as its text. */
export function uploadForm({ auth }: PageContext): RequestHandler {
  const readBytes = express.raw({ limit: UPLOAD_BYTES_MAX, type: TYPE });
  return (request, response, next): void => {
    if (auth.callerOf(request)?.kind !== 'person') {
      next();
      return;
    }
    readBytes(request, response, (error?: unknown) => {
      if (error !== undefined) {
        next(error);
        return;
      }
      textOf(request.body, request.get('content-type') ?? '').then((text) => {
        request.body = text;
        next();
      }, next);
    });
  };
}

async function textOf(body: unknown, type: string): Promise<string> {
  if (!Buffer.isBuffer(body)) return '';
  const fields = new URLSearchParams();
  const sent = new Response(new Uint8Array(body), { headers: { 'content-type': type } });
  // A form that is broken off or malformed is one without fields: its token is missing, so it is refused.
  const form = await sent.formData().catch(() => new FormData());
  for (const [name, value] of form) {
    fields.set(name, typeof value === 'string' ? value : await value.text());
  }
  return fields.toString();
}
