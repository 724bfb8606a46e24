/**
 * Finds the fields of a request that its schema lets through without naming them: perhaps new at the
 * service, perhaps a slip.
 */
import { z } from 'zod';
import { nearestWord } from '../../base/kernel/nearest-word.ts';

/** A field that the specification does not list. */
export interface UnlistedField {
  /** Its path without positions, for example `deliveries.carier`. */
  readonly field: string;
  /** The listed field of the same place that it resembles. */
  readonly nearest: string | undefined;
}

/** Objects whose specification names a family of fields instead of listing them. */
export const namedByFamily = z.registry<{ readonly family: RegExp }>();

/** The unlisted fields of `body`, each place once. */
export function unlistedFields(schema: z.core.$ZodType, body: unknown): readonly UnlistedField[] {
  const found = new Map<string, UnlistedField>();
  collect(schema, body, { path: '', found });
  return [...found.values()];
}

interface Search {
  readonly path: string;
  readonly found: Map<string, UnlistedField>;
}

function collect(schema: z.core.$ZodType, value: unknown, search: Search): void {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    collect(schema.unwrap(), value, search);
  } else if (schema instanceof z.ZodArray && Array.isArray(value)) {
    for (const entry of value) collect(schema.element, entry, search);
  } else if (schema instanceof z.ZodObject && typeof value === 'object' && value !== null) {
    collectFields(schema, value, search);
  }
}

function collectFields(schema: z.ZodObject, value: object, { path, found }: Search): void {
  const family = namedByFamily.get(schema)?.family;
  for (const [name, member] of Object.entries(value)) {
    const field = path === '' ? name : `${path}.${name}`;
    const listed = schema.shape[name];
    if (listed !== undefined) collect(listed, member, { path: field, found });
    else if (family?.test(name) !== true) {
      found.set(field, { field, nearest: nearestWord(name, Object.keys(schema.shape)) });
    }
  }
}
