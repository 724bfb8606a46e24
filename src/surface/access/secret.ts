/** Random secrets, their hashes, and a comparison that tells nothing. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 bits: cannot be guessed, so a plain hash of it is enough to store. */
const SECRET_BYTES = 32;

/** A random secret, fit for a cookie, a header and a URL. */
export function createSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** SHA-256 of a secret: what is stored in its place. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** The CSRF token of a session: derived from its id, so that the database does not hold it either. */
export function csrfTokenOf(sessionId: string): string {
  return createHmac('sha256', sessionId).update('forestall.csrf').digest('base64url');
}

/** Whether two secrets are equal, in a time that tells nothing about either, not even its length. */
export function sameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(hashSecret(given), hashSecret(expected));
}
