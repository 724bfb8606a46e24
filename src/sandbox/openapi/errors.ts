/** The answers that refuse, as schemas and as responses of the document. */
import { z } from 'zod';
import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { FAILURE_CLASSES } from '../../service/wire/processor.ts';

export const errorsSchema = z.object({
  errors: z
    .array(z.object({ code: z.string(), message: z.string(), field: z.string().optional() }))
    .min(1),
});

/** What only the order update answers for a missing order. */
export const detailSchema = z.object({ detail: z.string() });

export const processorErrorSchema = z.object({
  error: z.object({
    code: z.string(),
    failure_class: z.enum(FAILURE_CLASSES).optional(),
    message: z.string(),
  }),
});

/** A response that refuses, with an example when a code tells most of it. */
export function refused(
  description: string,
  example?: { readonly code: string; readonly message: string },
): ZodOpenApiResponseObject {
  const examples = example === undefined ? {} : { example: { errors: [example] } };
  return { description, content: { 'application/json': { schema: errorsSchema, ...examples } } };
}

export const UNAUTHORISED = refused('The key is missing, invalid, expired, or of the wrong level', {
  code: 'UNAUTHORISED',
  message: 'The API key is missing or invalid. Send "Authorization: Bearer <key>".',
});
export const FORBIDDEN = refused('The key lacks the ability');
export const NOT_FOUND = refused('Missing, or out of the scope of the key');
export const UNPROCESSABLE = refused('A rule refuses the request, or its form is wrong');
export const RATE_LIMITED = refused('More than 100 requests a minute; there is no Retry-After', {
  code: 'RATE_LIMITED',
  message: 'Too many requests to this endpoint. Wait up to a minute, and longer each time.',
});
