/**
 * Reads typed columns out of an object we did not write. A field of another type, or out of range,
 * is null in its column and unchanged in the snapshot: one odd field must not cost us the alert.
 */
import type { Instant } from '../../base/kernel/instant.ts';
import { toInstant } from '../../base/kernel/instant.ts';

/** An object of the service, as parsed. */
export type ServiceObject = Readonly<Record<string, unknown>>;

/** Longest text in a column that may be indexed or matched, in characters. Identifiers have about 30. */
const COLUMN_TEXT_MAX = 500;

/** A text short enough to be an identifier or a known value, else null. */
export function text(object: ServiceObject, field: string): string | null {
  const value = object[field];
  return typeof value === 'string' && value.length <= COLUMN_TEXT_MAX ? value : null;
}

/** A text of any length, else null. For columns that are only shown. */
export function longText(object: ServiceObject, field: string): string | null {
  const value = object[field];
  return typeof value === 'string' ? value : null;
}

/** A whole number that JavaScript holds exactly, else null. Nothing is rounded or read from text. */
export function amountMinor(object: ServiceObject, field: string): number | null {
  const value = object[field];
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null;
}

/** A moment or a day, else null. */
export function instant(object: ServiceObject, field: string): Instant | null {
  return toInstant(object[field]);
}

/** True or false, else null. */
export function flag(object: ServiceObject, field: string): boolean | null {
  const value = object[field];
  return typeof value === 'boolean' ? value : null;
}
