/** Identifiers of our own rows, and the shape of the service's. */
import { createHash, randomBytes } from 'node:crypto';

/** A random identifier `<prefix>_<26 hexadecimal characters>`. */
export function createId(prefix: string): string {
  return `${prefix}_${randomBytes(13).toString('hex')}`;
}

/**
 * An identifier derived from its parts: the same parts give the same id in every process, so that
 * two installations that meet the same payment also meet in the same idempotency key.
 */
export function deriveId(prefix: string, parts: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return `${prefix}_${digest.slice(0, 40)}`;
}

const REMOTE_ID = /^[a-z]+_[A-Za-z0-9_-]{1,200}$/;

/** Whether `value` is safe to put into a request path: a prefix, an underscore, no separators. */
export function isRemoteId(value: string): boolean {
  return REMOTE_ID.test(value);
}
