/**
 * Reads one object of the service, from an event or an answer, into what its row will hold.
 *
 * Refused is only what cannot be placed: an object of another organisation, without an id of its kind
 * or without any moment. Unknown fields and unknown values of enumerations stay.
 */
import { hash } from 'node:crypto';
import { maskCards } from '../../base/kernel/card-number.ts';
import { isRemoteId } from '../../base/kernel/ids.ts';
import type { Instant } from '../../base/kernel/instant.ts';
import { toInstant, withZones } from '../../base/kernel/instant.ts';
import type { EntityKind, SnapshotSource } from './entity.table.ts';
import type { ServiceObject } from './fields.ts';
import { text } from './fields.ts';
import type { Projection } from './projection.ts';

/** One object as it was told or shown. */
export interface SnapshotInput {
  readonly entity: EntityKind;
  /** Brand tokens already neutral. */
  readonly object: ServiceObject;
  /** The event that told it; null for a read. */
  readonly eventId: string | null;
  /** The event's own `created_at`: orders events of one moment, and dates objects without a moment. */
  readonly eventCreatedAt?: unknown;
  /** Whether the event told of an update. */
  readonly isUpdate?: boolean;
  /** Where card numbers were masked in it already; left out: it is still to be looked at. */
  readonly masked?: readonly string[];
}

/** Why an object cannot be placed. */
export type UnusableReason = 'foreign_organisation' | 'object_unusable';

/** A snapshot, ready to be compared with the row. */
export interface Snapshot {
  readonly projection: Projection;
  readonly id: string;
  readonly rank: number;
  readonly updatedAt: Instant;
  readonly createdAt: Instant | null;
  /** When it was read from the service; null for what an event told. */
  readonly readAt: Instant | null;
  /** The moment of the event that told it; null for a read. */
  readonly toldAt: Instant | null;
  readonly toldAsUpdate: boolean;
  /** SHA-256 of the content, hexadecimal. */
  readonly contentHash: string;
  readonly object: ServiceObject;
  /** The object as JSON. */
  readonly text: string;
  readonly source: SnapshotSource;
  readonly eventId: string | null;
}

export type SnapshotRead =
  | {
      readonly ok: true;
      readonly snapshot: Snapshot;
      /** Fields that held a full card number; it is masked. */
      readonly masked: readonly string[];
    }
  | { readonly ok: false; readonly reason: UnusableReason; readonly detail: string };

/** Under what circumstances a snapshot is read. */
export interface SnapshotContext {
  readonly organisationId: string;
  readonly projection: Projection;
  readonly source: SnapshotSource;
  readonly readAt: Instant | null;
}

/** Reads an object. */
export function readSnapshot(input: SnapshotInput, context: SnapshotContext): SnapshotRead {
  const { projection, source, readAt } = context;
  const { object: received, eventId } = input;
  const owner = received['organisation_id'];
  if (owner !== undefined && owner !== null && owner !== context.organisationId) {
    return unusable('foreign_organisation', 'organisation_id is another organisation');
  }
  const id = received['id'];
  if (typeof id !== 'string' || !id.startsWith(projection.idPrefix) || !isRemoteId(id)) {
    return unusable('object_unusable', `id is not one of ${projection.idPrefix}…`);
  }
  const content = withoutFields(received, projection.ignored);
  const { masked } = input;
  const clean = masked === undefined ? maskCards(content) : { object: content, fields: masked };
  const { object, text: json } = makeStorable(clean.object);
  const createdAt = toInstant(text(object, 'created_at'));
  const toldAt = toInstant(input.eventCreatedAt);
  const updatedAt = toInstant(text(object, 'updated_at')) ?? createdAt ?? toldAt;
  if (updatedAt === null) return unusable('object_unusable', 'updated_at is no moment');
  const snapshot: Snapshot = {
    projection,
    id,
    rank: projection.rankOf(object),
    updatedAt,
    createdAt,
    readAt,
    toldAt,
    toldAsUpdate: input.isUpdate ?? false,
    contentHash: hash('sha256', json),
    object,
    text: json,
    source,
    eventId,
  };
  return { ok: true, snapshot, masked: clean.fields };
}

function withoutFields(object: ServiceObject, fields: readonly string[]): ServiceObject {
  if (!fields.some((field) => field in object)) return object;
  return Object.fromEntries(Object.entries(object).filter(([key]) => !fields.includes(key)));
}

function unusable(reason: UnusableReason, detail: string): SnapshotRead {
  return { ok: false, reason, detail };
}

// Makes JSON that Postgres can hold as `jsonb`, which knows neither NUL nor half a surrogate
// pair. Both become U+FFFD; the bytes as signed stay in the inbox. Moments without a zone get
// the one they are read with, so that what an event told and what a read showed are the same
// content.

/** What a character that cannot be stored becomes. */
const REPLACEMENT = '\ufffd';

/** An object with its text, ready for a `jsonb` column. */
interface StorableObject {
  readonly object: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Replaces what cannot be stored. An object without it is returned as it is. */
export function makeStorable(received: StorableObject['object']): StorableObject {
  const receivedText = JSON.stringify(received);
  const text = withZones(receivedText);
  const object: StorableObject['object'] = text === receivedText ? received : JSON.parse(text);
  // JSON.stringify escapes as \u exactly what may be unstorable, and other control characters.
  if (!text.includes('\\u')) return { object, text };
  const clean = Object.fromEntries(cleanEntries(object));
  return { object: clean, text: JSON.stringify(clean) };
}

function cleanEntries(object: object): [string, unknown][] {
  return Object.entries(object).map(([key, value]) => [cleanText(key), cleanValue(value)]);
}

function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanValue);
  if (typeof value === 'object' && value !== null) return Object.fromEntries(cleanEntries(value));
  return value;
}

function cleanText(text: string): string {
  return text.replaceAll('\0', REPLACEMENT).replaceAll(/\p{Cs}/gu, REPLACEMENT);
}
