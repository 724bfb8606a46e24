/**
 * Refuses full card numbers in whatever people and programs send to the console: fields of forms and of JSON, files of text.
 * Runs before each handler that changes something, after what reads its body.
 */
import type { Request, RequestHandler } from 'express';
import {
  cardRefusal,
  fieldHoldsCard,
  fieldWithCard,
  holdsCardNumber,
  lineOfUploadWithCard,
} from '../../base/kernel/card-number.ts';
import { fileOf } from './attached-file.ts';
import { RequestRefused } from './fault.ts';
import { SENT_AS } from './form-id.ts';

/** Longest text that is read as one, in characters; a longer one is read line by line, a table cell by cell. */
const TEXT_MAX = 2_000;

/** Fields that only we fill. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['csrf_token', SENT_AS]);

export const refuseCardNumbers: RequestHandler = (request, _response, next) => {
  const field = fieldOfForm(request) ?? fieldOfJson(request) ?? fieldOfFile(request);
  if (field === undefined) return next();
  const fault = { code: 'INVALID_REQUEST', message: cardRefusal(field), field };
  next(new RequestRefused(400, fault));
};

function fieldOfForm({ body }: Request): string | undefined {
  if (typeof body !== 'string') return undefined;
  for (const [name, value] of new URLSearchParams(body)) {
    if (holdsCardNumber(name)) return 'a name';
    if (!OWN_FIELDS.has(name) && textHoldsCard(name, value)) return name;
  }
  return undefined;
}

function textHoldsCard(name: string, text: string): boolean {
  if (text.length <= TEXT_MAX || !text.includes('\n')) return fieldHoldsCard(name, text);
  return lineOfUploadWithCard(text) !== undefined;
}

function fieldOfJson({ body }: Request): string | undefined {
  return typeof body === 'object' && !Buffer.isBuffer(body) ? fieldWithCard(body) : undefined;
}

/** Bytes that are no text cannot be searched. */
function fieldOfFile(request: Request): string | undefined {
  const file = fileOf(request);
  if (file === undefined) return undefined;
  if (holdsCardNumber(file.fileName)) return 'The name of the file';
  const text = textOf(file.body);
  return text !== undefined && textHoldsCard('file', text) ? 'The file' : undefined;
}

const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be'] as const;

/** The bytes as text; undefined where they are something else. */
function textOf(body: Uint8Array): string | undefined {
  const isWide = (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff);
  for (const encoding of isWide ? ENCODINGS.slice(1) : ENCODINGS.slice(0, 1)) {
    try {
      const text = new TextDecoder(encoding, { fatal: true }).decode(body);
      if (!text.includes('\0')) return text;
    } catch {
      // Another encoding, or none.
    }
  }
  // Letters beyond ASCII in an older encoding: one byte each.
  const text = Buffer.from(body).toString('latin1');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what no text has
  return /[\u0000-\u0008\u000e-\u001f]/.test(text) ? undefined : text;
}
