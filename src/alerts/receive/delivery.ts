/**
 * Reads, from a body whose signature was accepted, just enough to store it: the event's id.
 *
 * Whatever is signed is stored. A body without a usable id gets one made of its own bytes, so that a
 * repeat of it is still recognised, and is quarantined: a retry could not repair it, and refusing it
 * for ever would have the endpoint disabled.
 */
import { hash } from 'node:crypto';
import { isCardNumberOnly } from '../../base/kernel/card-number.ts';
import { isRecord } from '../../base/kernel/is-record.ts';
import type { JsonRefusal } from '../../service/wire/strict-json.ts';
import { parseJsonStrict } from '../../service/wire/strict-json.ts';

/** A delivery whose signature was accepted. */
export interface Delivery {
  /** The subscription it came in on; empty for the only one. */
  readonly subscription: string;
  /** `X-Idempotency-Key`, which is not signed: kept for support, never for deduplication. */
  readonly deliveryId: string | null;
  /** Which secret signed it. */
  readonly secretId: string;
  readonly signedAtSeconds: number;
  readonly body: Buffer;
}

/** Why a signed body is no event. */
export type MalformedReason =
  | JsonRefusal
  | 'not_an_object'
  | 'id_missing'
  | 'id_too_long'
  | 'id_unusable';

/** Longest event id taken as an id, in characters. The service's have about 30. */
export const EVENT_ID_LENGTH_MAX = 200;

const SYNTHETIC_PREFIX = 'sha256:';

/** Begins the id of an event whose own is a full card number. Its body's hash follows: a repeat is still one. */
const MASKED_PREFIX = 'masked:';

/** What a body says about itself. */
export interface BodyRead {
  /** The event's id, or `sha256:<hex>` of the body where it has none. */
  readonly eventId: string;
  readonly malformed: MalformedReason | undefined;
}

/** Reads the id of a signed body, whose hash is given. */
export function readBody(body: Buffer, bodyHash: Buffer): BodyRead {
  const parsed = parseJsonStrict(body);
  const found = parsed.ok ? findEventId(parsed.value) : parsed;
  if (found.ok && isCardNumberOnly(found.id)) {
    return { eventId: MASKED_PREFIX + bodyHash.toString('hex'), malformed: undefined };
  }
  return found.ok
    ? { eventId: found.id, malformed: undefined }
    : { eventId: syntheticId(bodyHash), malformed: found.reason };
}

/** Bytes of a {@link hashOf}. */
export const BODY_HASH_BYTES = 32;

/** What tells two bodies apart: their SHA-256, as the database computes it too. */
export function hashOf(body: Buffer): Buffer {
  return hash('sha256', body, 'buffer');
}

/** The id of a body that has none of its own. */
export function syntheticId(bodyHash: Buffer): string {
  return SYNTHETIC_PREFIX + bodyHash.toString('hex');
}

/** Whether an id was made by {@link syntheticId}: its body is no event, and never will be. */
export function isSyntheticId(eventId: string): boolean {
  return eventId.startsWith(SYNTHETIC_PREFIX);
}

/**
 * The alert a signed body is about, or undefined. For deliveries that are refused as stale: their
 * content is not used, the service is asked instead.
 */
export function alertIdOf(body: Buffer): string | undefined {
  const parsed = parseJsonStrict(body);
  if (!parsed.ok || !isRecord(parsed.value)) return undefined;
  const { type, data } = parsed.value;
  if (typeof type !== 'string' || !type.startsWith('alert.')) return undefined;
  const object = isRecord(data) ? data['object'] : undefined;
  const id = isRecord(object) ? object['id'] : undefined;
  return typeof id === 'string' && ALERT_ID.test(id) ? id : undefined;
}

const ALERT_ID = /^netalrt_[A-Za-z0-9_-]{1,200}$/;

type FoundId =
  | { readonly ok: true; readonly id: string }
  | { readonly ok: false; readonly reason: MalformedReason };

function findEventId(value: unknown): FoundId {
  if (!isRecord(value)) return { ok: false, reason: 'not_an_object' };
  const { id } = value;
  if (typeof id !== 'string' || id === '') return { ok: false, reason: 'id_missing' };
  if (id.length > EVENT_ID_LENGTH_MAX) return { ok: false, reason: 'id_too_long' };
  // NUL and half a surrogate pair cannot be stored as text; a look-alike of a synthetic id could hide another event.
  const isOurs = isSyntheticId(id) || id.startsWith(MASKED_PREFIX);
  const isUsable = !/\p{Cs}/u.test(id) && !id.includes('\0') && !isOurs;
  return isUsable ? { ok: true, id } : { ok: false, reason: 'id_unusable' };
}
