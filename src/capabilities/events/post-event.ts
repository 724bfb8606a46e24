/**
 * Posts one event: no redirect is followed, ten seconds in all, the first 4 KB of an answer are taken and 1 KB is kept, and
 * nothing inside the network is reached, at the moment of connecting either (`base/notify/address-guard.ts`).
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { codeOf } from '../../base/kernel/errors.ts';
import { toldWords } from '../../base/kernel/told-words.ts';
import { createGuardedLookup } from '../../base/notify/address-guard.ts';
import { POST_TIMEOUT_MS, readPostUrl } from '../../base/notify/post.ts';

const TAKEN_BYTES = 4_096;
const KEPT_CHARACTERS = 1_024;

/** How long an unused connection is kept, in milliseconds: below what servers usually allow. */
const IDLE_MS = 4_000;

/** How an address is named to the person who gave it. */
export const ENDPOINT_ADDRESS = "The endpoint's address";

export interface PostAnswer {
  readonly status: number;
  readonly answer: string;
}

export interface EventPost {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** @throws what was in the way; `signal` ends it */
export type PostEvent = (post: EventPost, signal: AbortSignal) => Promise<PostAnswer>;

export interface PostEventOptions {
  /** Plain HTTP and this machine are allowed: with the sandbox, and in tests. */
  readonly allowLoopback: boolean;
  /** Connections at once. */
  readonly connections: number;
  /** @default 10000 */
  readonly timeoutMs?: number;
}

/** The connections of one endpoint: those of another wait for nothing here, on the same host either. */
export function createPostEvent(options: PostEventOptions): PostEvent {
  const { allowLoopback, connections, timeoutMs = POST_TIMEOUT_MS } = options;
  const agentOptions = {
    keepAlive: true,
    maxSockets: connections,
    maxFreeSockets: 2,
    timeout: IDLE_MS,
    lookup: createGuardedLookup(allowLoopback),
  };
  const agents = { 'http:': new HttpAgent(agentOptions), 'https:': new HttpsAgent(agentOptions) };
  const send = (url: URL, { body, headers }: EventPost, signal: AbortSignal): Promise<PostAnswer> =>
    new Promise<PostAnswer>((resolve, reject) => {
      const isSecure = url.protocol === 'https:';
      const bytes = Buffer.from(body);
      const call: ClientRequest = (isSecure ? httpsRequest : httpRequest)(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'content-length': bytes.length,
          'user-agent': 'forestall-events',
          ...headers,
        },
        agent: isSecure ? agents['https:'] : agents['http:'],
        signal,
      });
      call.on('error', (error) => {
        reject(
          call.reusedSocket && codeOf(error) === 'ECONNRESET' ? new StaleSocketError() : error,
        );
      });
      call.on('response', (answer) => {
        takeAnswer(answer).then(resolve, reject);
      });
      call.end(bytes);
    });
  return async (post, signal) => {
    const url = readPostUrl(post.url, { allowLoopback, setting: ENDPOINT_ADDRESS });
    const ends = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      return await send(url, post, ends);
    } catch (error) {
      // The endpoint closed a connection that we took for open, most likely before it read anything.
      if (error instanceof StaleSocketError) return await send(url, post, ends);
      throw error;
    }
  };
}

class StaleSocketError extends Error {}

/** The first bytes; the rest is never taken. The status counts, whatever becomes of the rest. */
async function takeAnswer(answer: IncomingMessage): Promise<PostAnswer> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of answer) {
      if (!Buffer.isBuffer(part)) continue;
      parts.push(part);
      size += part.length;
      // Leaving the loop ends the connection.
      if (size >= TAKEN_BYTES) break;
    }
  } catch {
    // Broken off, or it did not end in time.
  }
  const text = Buffer.concat(parts).subarray(0, TAKEN_BYTES).toString('utf8');
  // First masked, then cut: a part of a number, an address or a secret is known by nothing.
  const shown = toldWords(text.replaceAll('\0', '')).slice(0, KEPT_CHARACTERS).toWellFormed();
  return { status: answer.statusCode ?? 0, answer: shown };
}
