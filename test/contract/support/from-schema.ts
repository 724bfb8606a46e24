/** Values that fit a JSON Schema of the OpenAPI document. */
import fc from 'fast-check';
import type { Json } from './json.ts';

/** An arbitrary for `schema`, whose references point into `components`. */
export function fromSchema(schema: Json, components: Json): fc.Arbitrary<unknown> {
  const arbitraryOf = (part: Json): fc.Arbitrary<unknown> => fromSchema(part, components);
  if (schema.$ref !== undefined) return arbitraryOf(components[schema.$ref.split('/').at(-1)]);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map(arbitraryOf));
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map((type: string) => arbitraryOf({ ...schema, type })));
  }
  switch (schema.type) {
    case 'object':
      return objectOf(schema, arbitraryOf);
    case 'array':
      return listOf(schema, arbitraryOf);
    case 'string':
      return textOf(schema);
    case 'integer':
      return fc.integer({
        min: schema.minimum ?? (schema.exclusiveMinimum ?? -6) + 1,
        max: Math.min(schema.maximum ?? 50_000, 50_000),
      });
    case 'number':
      return fc.double({ min: schema.minimum ?? 0, max: schema.maximum ?? 100, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return fc.constantFrom('anything', 7, { any: ['thing'] });
  }
}

function listOf(
  schema: Json,
  arbitraryOf: (part: Json) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const minLength = schema.minItems ?? 0;
  const maxLength = Math.max(minLength, Math.min(2, schema.maxItems ?? 2));
  return fc.array(arbitraryOf(schema.items ?? {}), { minLength, maxLength });
}

function objectOf(
  schema: Json,
  arbitraryOf: (part: Json) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.properties ?? {}).map(([name, part]) => [
    name,
    arbitraryOf(part),
  ]);
  return fc
    .record(Object.fromEntries(fields), { requiredKeys: schema.required ?? [] })
    .filter((value) => Object.keys(value).length >= (schema.minProperties ?? 0));
}

function textOf(schema: Json): fc.Arbitrary<string> {
  if (schema.format === 'date-time')
    return fc.constantFrom('2026-11-18T10:00:00Z', '2027-01-01T00:00:00+02:00');
  if (schema.format === 'date') return fc.constant('2026-11-18');
  if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern));
  return fc.string({
    minLength: schema.minLength ?? 0,
    maxLength: schema.maxLength ?? (schema.minLength ?? 0) + 8,
  });
}
