/**
 * Raw bodies on their way into the inbox and the quarantine, and back: sealed where this process has a
 * key to seal with, as they came where not. Both kinds lie side by side.
 */
import type { DataKeys } from '../../base/seal/data-keys.ts';
import type { SealPlace } from '../../base/seal/seal.ts';
import { openBytes, sealBytes } from '../../base/seal/seal.ts';
import type { EventSubject } from './event-subject.ts';
import { plainSubjectOf } from './event-subject.ts';

/** The place of an event's body. An event id names one row of the inbox. */
export function placeOfEvent(organisationId: string, eventId: string): SealPlace {
  return { organisationId, table: 'inbox_event', column: 'body', row: [eventId] };
}

/** The place of a quarantined body. */
export function placeOfQuarantined(organisationId: string, id: number): SealPlace {
  return { organisationId, table: 'quarantine', column: 'body', row: [String(id)] };
}

/** The columns of a body as stored. */
export interface StoredBody {
  readonly body: Buffer;
  readonly keyId: string | null;
}

/** A body as it is to be stored. */
export function sealBody(
  keys: DataKeys | undefined,
  place: SealPlace,
  body: Buffer,
): StoredBody & { readonly subject: EventSubject | undefined } {
  const key = keys?.sealing;
  if (key === undefined) return { body, keyId: null, subject: undefined };
  return { body: sealBytes(key, place, body), keyId: key.id, subject: plainSubjectOf(body) };
}

/**
 * A stored body as it came.
 *
 * @throws as `openBytes` where it is sealed
 */
export function openBody(
  keys: DataKeys | undefined,
  place: SealPlace,
  { body, keyId }: StoredBody,
): Buffer {
  return keyId === null ? body : openBytes(keys, place, { keyId, bytes: body });
}
