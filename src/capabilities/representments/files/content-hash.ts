/** Names a file by its bytes. */
import { createHash } from 'node:crypto';

/** SHA-256, in hexadecimal. */
export function contentHash(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
