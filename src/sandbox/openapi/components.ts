/**
 * The schemas of `wire/` as OpenAPI components.
 */
import { z } from 'zod';
import type { SchemaName } from './schemas.ts';
import { SCHEMAS } from './schemas.ts';

/** A JSON value that is an object. */
export type JsonObject = Record<string, unknown>;

/** Every schema, and whatever they share among themselves, by name. */
export function componentSchemas(): JsonObject {
  const components: JsonObject = {};
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    const json = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' });
    const { $schema: _dialect, $defs: shared = {}, ...rest } = json;
    components[name] = relocate(rest, name);
    for (const [key, value] of Object.entries(shared)) {
      components[`${name}_${key}`] = relocate(value, name);
    }
  }
  return components;
}

/** A reference to a component. */
export function ref(name: SchemaName | 'Errors' | 'Detail'): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** `#/$defs/x` of one schema becomes `#/components/schemas/<name>_x` of the document. */
function relocate(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((entry) => relocate(entry, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === '$ref' && typeof member === 'string'
        ? member.replace('#/$defs/', `#/components/schemas/${name}_`)
        : relocate(member, name),
    ]),
  );
}
