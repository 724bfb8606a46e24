/** Calls Mollie's API v2. https://docs.mollie.com/reference/authentication */
import type { JsonObject, ProviderReply, StatedMode } from 'forestall/adapter';
import { callProvider, isObject, objectsAt, textAt, valueAt } from 'forestall/adapter';

export interface MollieAccess {
  /** `live_…` or `test_…`. */
  readonly apiKey: string;
  /** @default 'https://api.mollie.com' */
  readonly baseUrl?: string;
}

export interface MollieApi {
  get(path: string, signal?: AbortSignal): Promise<ProviderReply>;
  post(
    path: string,
    write: { readonly body: JsonObject; readonly idempotencyKey: string },
    signal: AbortSignal,
  ): Promise<ProviderReply>;
  delete(path: string, signal: AbortSignal): Promise<ProviderReply>;
}

/** Mollie's keys say in their name whether they move real money. */
export function mollieModeOf({ apiKey }: Pick<MollieAccess, 'apiKey'>): StatedMode {
  const [, mode] = /^(test|live)_/.exec(apiKey) ?? [];
  return mode === 'test' || mode === 'live' ? { mode } : {};
}

export function createMollieApi(access: MollieAccess): MollieApi {
  const base = `${access.baseUrl ?? 'https://api.mollie.com'}/v2`;
  const headers = { authorization: `Bearer ${access.apiKey}` };
  return {
    get: (path, signal) => callProvider({ method: 'GET', url: `${base}${path}`, headers }, signal),
    post: (path, { body, idempotencyKey }, signal): Promise<ProviderReply> => {
      const writing = {
        ...headers,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      };
      const url = `${base}${path}`;
      const text = JSON.stringify(body);
      return callProvider({ method: 'POST', url, headers: writing, body: text }, signal);
    },
    delete: (path, signal) =>
      callProvider({ method: 'DELETE', url: `${base}${path}`, headers }, signal),
  };
}

/** Whether the answer is one of Mollie's own errors: a gateway in between writes none like it. */
function isError(reply: ProviderReply): reply is ProviderReply & { kind: 'answer' } {
  return (
    reply.kind === 'answer' &&
    reply.body['status'] === reply.status &&
    textAt(reply.body, 'title') !== null &&
    // Others write the same shape (RFC 9457); this link is Mollie's.
    isObject(valueAt(reply.body, '_links', 'documentation'))
  );
}

/** The error in a word: its status, and the field that it is about. Mollie has no codes. */
export function mollieErrorCode(reply: ProviderReply): string | null {
  if (!isError(reply)) return null;
  const field = textAt(reply.body, 'field');
  return field === null ? String(reply.status) : `${reply.status}:${field}`;
}

/** Whether Mollie says that the object does not exist. A 404 of anything in between is no proof. */
export function isMissing(reply: ProviderReply): boolean {
  return isError(reply) && reply.status === 404;
}

/** The list's objects; null when this is no list, or not all of it. */
export function wholeListOf(reply: ProviderReply, name: string): JsonObject[] | null {
  if (reply.kind === 'silence' || reply.status !== 200) return null;
  const isWhole = valueAt(reply.body, '_links', 'next') === null;
  const list = valueAt(reply.body, '_embedded', name);
  return isWhole && Array.isArray(list) ? objectsAt(reply.body, '_embedded', name) : null;
}
