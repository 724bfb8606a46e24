/**
 * The answers of the public listener: short JSON, made once, the same for everybody.
 *
 * Which check of the signature failed is logged and counted, and not told to the sender.
 */
import type { ServerResponse } from 'node:http';
import type { RefusedReason } from './counters.ts';

/** A status with its body and headers, ready to send. */
export interface Answer {
  readonly status: number;
  /** Text, so that Node sends it in one write with the headers. */
  readonly body: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
}

/** Stored now. */
export const RECEIVED = answer(200, { received: true, duplicate: false });
/** Stored before. */
export const RECEIVED_AGAIN = answer(200, { received: true, duplicate: true });
/** All that anybody may know about the health of this process. */
export const READY = answer(200, { ok: true });
export const NOT_READY = answer(503, { ok: false });
/** No such page. */
export const NOT_FOUND = refusal(404, 'not_found');
/** A defect of ours. */
export const INTERNAL_ERROR = refusal(500, 'internal_error');

const SIGNATURE_REFUSED = refusal(401, 'signature_refused');

/** What each refusal is answered with. */
export const REFUSAL_ANSWERS: Readonly<Record<RefusedReason, Answer>> = {
  missing_header: closing(SIGNATURE_REFUSED),
  malformed_header: closing(SIGNATURE_REFUSED),
  bad_hex: closing(SIGNATURE_REFUSED),
  no_match: SIGNATURE_REFUSED,
  too_old: SIGNATURE_REFUSED,
  too_new: SIGNATURE_REFUSED,
  unknown_subscription: closing(refusal(404, 'unknown_subscription')),
  method: closing(refusal(405, 'method_not_allowed', ['allow', 'POST'])),
  encoding: closing(refusal(415, 'content_encoding_not_supported')),
  too_large: closing(refusal(413, 'body_too_large')),
  incomplete: closing(refusal(400, 'body_incomplete')),
  busy: closing(refusal(503, 'busy')),
  unavailable: refusal(503, 'not_stored'),
};

/** Sends an answer, unless one has been sent or the reader has gone. */
export function send(response: ServerResponse, { status, body, headers }: Answer): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, [...headers]);
  response.end(body);
}

/** An answer with any JSON body. */
export function answer(status: number, json: unknown): Answer {
  return written(status, 'application/json; charset=utf-8', JSON.stringify(json));
}

/** An answer in the text format of metrics. */
export function textAnswer(body: string): Answer {
  return written(200, 'text/plain; version=0.0.4; charset=utf-8', body);
}

function written(status: number, type: string, body: string): Answer {
  const headers = [
    'content-type',
    type,
    'content-length',
    String(Buffer.byteLength(body)),
    'cache-control',
    'no-store',
    'x-content-type-options',
    'nosniff',
  ];
  return { status, body, headers };
}

function refusal(status: number, error: string, headers: readonly string[] = []): Answer {
  const base = answer(status, { error });
  return { ...base, headers: [...base.headers, ...headers] };
}

/** Ends the connection too: the rest of an unwanted body would have to be read otherwise. */
function closing(base: Answer): Answer {
  return { ...base, headers: [...base.headers, 'connection', 'close'] };
}
