/**
 * Reads the body of a refusal: the standard envelope, or the `{detail}` that only the order update
 * answers for a missing order.
 */
import { z } from 'zod';
import { maybeText, text } from './fields.ts';

export const errorEntrySchema = z.looseObject({
  code: text,
  message: z.string().nullish(),
  field: maybeText,
});
export type ErrorEntry = z.infer<typeof errorEntrySchema>;

/** The standard envelope. */
export const errorEnvelopeSchema = z.looseObject({ errors: z.array(errorEntrySchema).min(1) });

/** The exception: `404` of the order update. */
export const errorDetailSchema = z.looseObject({ detail: z.string() });

/** What a refusal says, or that it says nothing we can read. */
export type ErrorBody =
  | { readonly kind: 'envelope'; readonly errors: readonly ErrorEntry[] }
  | { readonly kind: 'detail'; readonly detail: string }
  | { readonly kind: 'unreadable' };

/** Reads a refusal's body. */
export function readErrorBody(body: unknown): ErrorBody {
  const envelope = errorEnvelopeSchema.safeParse(body);
  if (envelope.success) return { kind: 'envelope', errors: envelope.data.errors };
  const detail = errorDetailSchema.safeParse(body);
  if (detail.success) return { kind: 'detail', detail: detail.data.detail };
  return { kind: 'unreadable' };
}
