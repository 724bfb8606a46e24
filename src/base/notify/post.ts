/**
 * Posts one JSON document to the notification URL: no redirect is followed, 10 seconds in all, and
 * the answer's body is not read.
 */
import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { shakeHands } from '../http/handshake.ts';
import { ConfigError } from '../kernel/errors.ts';
import { createGuardedLookup, isOutsideAddress } from './address-guard.ts';

/** One exchange from connecting to the answer's status, in milliseconds. */
export const POST_TIMEOUT_MS = 10_000;

/** Sends a document and returns the status of the answer. @throws when no answer came */
export type PostJson = ((document: unknown) => Promise<number>) & {
  /** Shakes hands with the receiver and sends nothing. @throws what was in the way */
  readonly reach?: (timeoutMs: number) => Promise<void>;
};

/** Options of {@link createPost}. */
export interface PostOptions {
  readonly url: string;
  /** Allows plain HTTP and loopback, for a receiver on the same machine. @default false */
  readonly allowLoopback?: boolean;
  /** @default 10000 */
  readonly timeoutMs?: number;
  /** Further headers, computed from the body as it is sent. */
  readonly headersOf?: (body: string) => Readonly<Record<string, string>>;
  /** Named in faults. @default 'FORESTALL_NOTIFY_URL' */
  readonly setting?: string;
}

/** @throws {ConfigError} when the URL may never be posted to */
export function createPost(options: PostOptions): PostJson {
  const { allowLoopback = false, timeoutMs = POST_TIMEOUT_MS, headersOf } = options;
  const url = readPostUrl(options.url, { allowLoopback, setting: options.setting ?? SETTING });
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const lookup = createGuardedLookup(allowLoopback);
  const post = (document: unknown): Promise<number> =>
    new Promise<number>((resolve, reject) => {
      const text = JSON.stringify(document);
      const body = Buffer.from(text);
      const call = send(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'content-length': body.length,
          ...headersOf?.(text),
        },
        agent: false,
        lookup,
        signal: AbortSignal.timeout(timeoutMs),
      });
      call.on('error', reject);
      call.on('response', (answer: IncomingMessage) => {
        resolve(answer.statusCode ?? 0);
        answer.destroy();
      });
      call.end(body);
    });
  return Object.assign(post, {
    reach: (reachMs: number) => shakeHands(url, { timeoutMs: reachMs, lookup }),
  });
}

const SETTING = 'FORESTALL_NOTIFY_URL';

/** The URL, where it may be posted to. @throws {ConfigError} naming the setting, where it may never be */
export function readPostUrl(
  text: string,
  { allowLoopback, setting }: { readonly allowLoopback: boolean; readonly setting: string },
): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new ConfigError(`${setting} must be an https URL. Correct the setting.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ConfigError(`${setting} must not hold a user or password. Remove them.`);
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isLocal = host === 'localhost' || /^127\./.test(host) || host === '::1';
  if (url.protocol === 'http:' && !(isLocal && allowLoopback)) {
    throw new ConfigError(`${setting} must be https: messages name alerts and amounts.`);
  }
  // A socket does not resolve what is an address already, so the guarded lookup would not see it.
  const isAddress = /^[\d.]+$/.test(host) || host.includes(':');
  if ((isLocal && !allowLoopback) || (isAddress && !isOutsideAddress(host, allowLoopback))) {
    throw new ConfigError(
      `${setting} leads to this machine or a private network. Use a public address.`,
    );
  }
  return url;
}
