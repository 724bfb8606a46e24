/**
 * Reads a provider's JSON without trusting it: every value is checked where it is used, unknown
 * fields are ignored, and what is missing or of another type reads as null.
 */

export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether `value` is a JSON object, and neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at the path, or undefined where the path leaves the objects. */
export function valueAt(root: unknown, ...path: string[]): unknown {
  let value = root;
  for (const name of path) {
    if (!isObject(value)) return undefined;
    value = value[name];
  }
  return value;
}

/** The non-empty text at the path, or null. */
export function textAt(root: unknown, ...path: string[]): string | null {
  const value = valueAt(root, ...path);
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The safe integer at the path, or null. */
export function integerAt(root: unknown, ...path: string[]): number | null {
  const value = valueAt(root, ...path);
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null;
}

/** The objects of the list at the path; anything else in it is left out. */
export function objectsAt(root: unknown, ...path: string[]): JsonObject[] {
  const value = valueAt(root, ...path);
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A moment that names no zone, which JavaScript takes for one of the machine's. */
const NO_ZONE = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;

/** An ISO 8601 time as ISO 8601 UTC with milliseconds; without an offset it is UTC. Null when it is none. */
export function utcAt(root: unknown, ...path: string[]): string | null {
  const text = textAt(root, ...path) ?? '';
  const epochMs = Date.parse(NO_ZONE.test(text) ? `${text}Z` : text);
  return Number.isFinite(epochMs) ? new Date(epochMs).toISOString() : null;
}
