/**
 * How zod schemas are told in the document: what JSON Schema cannot say, or says at needless length.
 */
import type { z } from 'zod';
import type { CreateDocumentOptions } from 'zod-openapi';
import { merchantUpdateSchema } from '../../service/wire/merchant.ts';
import { orderUpdateSchema } from '../../service/wire/order-update.ts';

type Override = Extract<
  NonNullable<CreateDocumentOptions['override']>,
  (...args: never) => unknown
>;
type Context = Parameters<Override>[0];

/** Whole numbers are safe integers anyway. */
const SAFE_BOUNDS: ReadonlySet<unknown> = new Set([
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
]);

/** Options for one part of the document. `refuses`: what refuses unknown fields there. */
export function documentOptions(
  refuses: 'everything' | ReadonlySet<z.core.$ZodType>,
): CreateDocumentOptions {
  return {
    override: (context): void => {
      simplify(context);
      if (refuses !== 'everything' && !refuses.has(context.zodSchema)) {
        allowUnknown(context);
      }
    },
    allowEmptySchema: { any: true, unknown: true, lazy: true, custom: true },
  };
}

/** Updates that change nothing are refused. */
const NEVER_EMPTY: ReadonlySet<z.core.$ZodType> = new Set([
  orderUpdateSchema,
  merchantUpdateSchema,
]);

function simplify({ zodSchema, jsonSchema }: Context): void {
  if (NEVER_EMPTY.has(zodSchema)) jsonSchema.minProperties = 1;
  const { type } = zodSchema._zod.def;
  // Any JSON: zod writes it as a schema that refers to itself, which no generator renders well.
  if (type === 'lazy')
    for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
  // Moments are read with their zone and stay strings.
  if (type === 'pipe') Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
  if (jsonSchema.format !== undefined) Reflect.deleteProperty(jsonSchema, 'pattern');
  for (const bound of ['minimum', 'maximum'] as const) {
    if (SAFE_BOUNDS.has(jsonSchema[bound])) Reflect.deleteProperty(jsonSchema, bound);
  }
}

/** The interface takes fields that it does not know, and ignores or keeps them. */
function allowUnknown({ jsonSchema }: Context): void {
  if (jsonSchema.additionalProperties === false) {
    Reflect.deleteProperty(jsonSchema, 'additionalProperties');
  }
}
