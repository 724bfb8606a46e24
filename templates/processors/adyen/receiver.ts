/**
 * Receives Adyen's standard webhooks: verifies each item's HMAC, stores it, and answers.
 *
 * An answer of 200 means stored. Whatever is signed is stored, known event or not: Adyen holds back
 * everything after a webhook that is not accepted. The HMAC covers eight fields only; that the rest is
 * Adyen's too is up to TLS and the user name and password that you set for the webhook.
 *
 * https://docs.adyen.com/development-resources/webhooks/verify-hmac-signatures
 */
import { createHmac } from 'node:crypto';
import type { JsonObject } from 'forestall/adapter';
import { isObject, isSame, objectsAt, textAt, valueAt } from 'forestall/adapter';

/** Far above a webhook with one item, small enough for any process. */
const BODY_BYTES_MAX = 256 * 1024;

export interface AdyenReceiverOptions {
  /** HMAC keys of the webhook, in hexadecimal: the new one and, while it is exchanged, the old one. */
  readonly hmacKeys: readonly string[];
  /** As the webhook's basic authentication is set in the Customer Area. */
  readonly basic: { readonly user: string; readonly password: string };
  /** Which of Adyen's environments this receiver is for. The other's webhooks are refused. */
  readonly mode: 'test' | 'live';
  readonly merchantAccount: string;
  /** Resolves once all are stored; throws when they are not. */
  readonly store: (items: readonly JsonObject[]) => Promise<void>;
}

export type AdyenReceiver = (request: Request) => Promise<Response>;

/** @throws when a key or password is missing or no key: such a receiver would accept forgeries */
export function createAdyenReceiver(options: AdyenReceiverOptions): AdyenReceiver {
  checkReceiverOptions(options);
  return async (request): Promise<Response> => {
    if (request.method !== 'POST') return answer(405);
    if (!mayBeOurs(request.headers.get('authorization') ?? '', options.basic)) return answer(401);
    const bytes = await readBody(request);
    if (bytes === undefined) return answer(413);
    const items = itemsOf(bytes, options);
    if (typeof items === 'number') return answer(items);
    try {
      await options.store(items);
    } catch {
      return answer(503);
    }
    return answer(200);
  };
}

/** @throws when a key or password is missing or no key */
export function checkReceiverOptions({ hmacKeys, basic }: AdyenReceiverOptions): void {
  if (hmacKeys.length === 0 || !hmacKeys.every((key) => /^[0-9a-f]{64}$/i.test(key))) {
    throw new Error('An HMAC key of Adyen has 64 hexadecimal digits. Copy it from the webhook.');
  }
  if (basic.user === '' || basic.password === '') {
    throw new Error(
      'Set a user name and a password for the webhook, in the Customer Area and here.',
    );
  }
}

/** Older webhooks look for this word in the body. */
function answer(status: number): Response {
  return new Response(status === 200 ? '[accepted]' : null, { status });
}

/** Whether the user name and password of the webhook came along. */
export function mayBeOurs(
  header: string,
  { user, password }: AdyenReceiverOptions['basic'],
): boolean {
  return isSame(header, `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`);
}

async function readBody(request: Request): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  if (request.body === null) return Buffer.alloc(0);
  for await (const chunk of request.body) {
    bytes += chunk.byteLength;
    if (bytes > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The items of a webhook that was accepted before. */
export function itemsToStore(bytes: Buffer): JsonObject[] {
  const items = objectsAt(JSON.parse(bytes.toString('utf8')), 'notificationItems');
  return items.map((one) => one['NotificationRequestItem']).filter(isObject);
}

/** The items, or the status that refuses the webhook. */
export function itemsOf(bytes: Buffer, options: AdyenReceiverOptions): JsonObject[] | number {
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString('utf8'));
  } catch {
    return 400;
  }
  const items = objectsAt(body, 'notificationItems').map((one) => one['NotificationRequestItem']);
  const readable = items.filter(isObject);
  if (readable.length === 0 || readable.length < items.length) return 400;
  if (!readable.every((item) => isSigned(item, options.hmacKeys))) return 401;
  const isLive = String(valueAt(body, 'live')) === 'true';
  if (isLive !== (options.mode === 'live')) return 403;
  const isForeign = (item: JsonObject): boolean =>
    item['merchantAccountCode'] !== options.merchantAccount;
  return readable.some(isForeign) ? 403 : readable;
}

/** Whether one of the keys has signed the item. An item without a signature is not signed. */
export function isSigned(item: JsonObject, hmacKeys: readonly string[]): boolean {
  const signature = textAt(item, 'additionalData', 'hmacSignature');
  if (signature === null) return false;
  const signed = signedTextOf(item);
  return hmacKeys
    .map((key) => createHmac('sha256', Buffer.from(key, 'hex')).update(signed).digest('base64'))
    .map((expected) => isSame(signature, expected))
    .includes(true);
}

const SIGNED: readonly (readonly string[])[] = [
  ['pspReference'],
  ['originalReference'],
  ['merchantAccountCode'],
  ['merchantReference'],
  ['amount', 'value'],
  ['amount', 'currency'],
  ['eventCode'],
  ['success'],
];

/** The eight fields in Adyen's order; what is missing is empty. */
function signedTextOf(item: JsonObject): string {
  return SIGNED.map((path) => String(valueAt(item, ...path) ?? '')).join(':');
}
