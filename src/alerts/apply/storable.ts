/**
 * Makes JSON that Postgres can hold as `jsonb`, which knows neither NUL nor half a surrogate pair.
 * Both become U+FFFD; the bytes as signed stay in the inbox. Moments without a zone get the one they
 * are read with, so that what an event told and what a read showed are the same content.
 */
import { withZones } from '../../base/kernel/instant.ts';

/** What a character that cannot be stored becomes. */
const REPLACEMENT = '\ufffd';

/** An object with its text, ready for a `jsonb` column. */
export interface StorableObject {
  readonly object: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Replaces what cannot be stored. An object without it is returned as it is. */
export function makeStorable(received: StorableObject['object']): StorableObject {
  const told = JSON.stringify(received);
  const text = withZones(told);
  const object: StorableObject['object'] = text === told ? received : JSON.parse(text);
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
