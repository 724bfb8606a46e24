/** Reads a stored event's envelope: what it is about and the object it carries. */

import { maskBody, maskCards, mayHoldCards } from '../../base/kernel/card-number.ts';
import { isRecord } from '../../base/kernel/is-record.ts';
import type { BrandTokens } from '../../service/wire/brand-tokens.ts';
import { entityOfEventType } from '../../service/wire/event.ts';
import type { ServiceObject } from './fields.ts';
import type { SnapshotInput } from './snapshot.ts';

/** Why an event has no effect. */
export type EventRefusal = 'event_malformed' | 'unknown_type';

export type EventReading = {
  /** Whether its body held a full card number, and has to be stored again without. */
  readonly heldCard: boolean;
} & (
  | { readonly ok: true; readonly input: SnapshotInput }
  | { readonly ok: false; readonly reason: EventRefusal; readonly detail: string }
);

/** Longest part of an unknown type that is told to a person, in characters. */
const TYPE_SHOWN_MAX = 80;

/**
 * Reads an event. Its text was parsed strictly before it was put on the work list, so only its shape
 * can be wrong here.
 */
export function readEvent(
  stored: { readonly eventId: string; readonly text: string },
  brandTokens: Pick<BrandTokens, 'fromWire'>,
): EventReading {
  const parsed = parseObject(stored.text, brandTokens);
  if (parsed === undefined) {
    const body = Buffer.from(stored.text);
    return malformed('the body is not a JSON object', maskBody(body) !== body);
  }
  const { object: event, fields: masked } = mayHoldCards(stored.text)
    ? maskCards(parsed)
    : { object: parsed, fields: [] };
  const heldCard = masked.length > 0;
  const { type, data, created_at: eventCreatedAt } = event;
  if (typeof type !== 'string') return malformed('type is no text', heldCard);
  const entity = entityOfEventType(type);
  if (entity === undefined) {
    const detail = `type ${JSON.stringify(type.slice(0, TYPE_SHOWN_MAX))}`;
    return { ok: false, reason: 'unknown_type', detail, heldCard };
  }
  const object = isRecord(data) ? data['object'] : undefined;
  if (!isRecord(object)) return malformed('data.object is no object', heldCard);
  const { eventId } = stored;
  const isUpdate = type.endsWith('.updated');
  const input = { entity, object, eventId, eventCreatedAt, isUpdate, masked };
  return { ok: true, heldCard, input };
}

function parseObject(
  text: string,
  brandTokens: Pick<BrandTokens, 'fromWire'>,
): ServiceObject | undefined {
  try {
    const value = brandTokens.fromWire(JSON.parse(text));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function malformed(detail: string, heldCard: boolean): EventReading {
  return { ok: false, reason: 'event_malformed', detail, heldCard };
}
