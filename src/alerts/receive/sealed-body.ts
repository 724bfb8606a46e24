/**
 * Raw bodies on their way into the inbox and the quarantine, and back: sealed where this process has a
 * key to seal with, as they came where not. Both kinds lie side by side.
 */
import type { DataKeys } from '../../base/kernel/data-keys.ts';
import type { SealPlace } from '../../base/seal/seal.ts';
import { openBytes, sealBytes } from '../../base/seal/seal.ts';

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

// What a stored body says it is about. Signed, yet possibly no JSON at all. Pure.

/** An event's type, and the id of its object; null where the body does not say. */
interface EventSubject {
  readonly type: string | null;
  readonly objectId: string | null;
}

/** Reads it. */
export function subjectOf(body: Buffer | null): EventSubject {
  const event = parse(body);
  const type = memberOf(event, 'type');
  const objectId = memberOf(memberOf(memberOf(event, 'data'), 'object'), 'id');
  return {
    type: typeof type === 'string' ? type : null,
    objectId: typeof objectId === 'string' ? objectId : null,
  };
}

/** What types and ids are made of. Whatever else is there may be a person's, and is not told. */
const WORD = /^[\w.:-]{1,200}$/;

/** The subject as it may be in clear beside a sealed body. */
function plainSubjectOf(body: Buffer): EventSubject {
  const { type, objectId } = subjectOf(body);
  return {
    type: type !== null && WORD.test(type) ? type : null,
    objectId: objectId !== null && WORD.test(objectId) ? objectId : null,
  };
}

function parse(body: Buffer | null): unknown {
  try {
    return body === null ? undefined : JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
