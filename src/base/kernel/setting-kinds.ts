/**
 * Kinds that several settings share. Each complains in words of ours: those of the library name its own types,
 * and a person who sets a port need not know what NaN is.
 */
import { z } from 'zod';

/** A whole number in digits. White space around it is taken: files have it. */
export function wholeNumber(min: number, max: number): z.ZodType<number, string> {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\s*\d{1,9}\s*$/, { error, abort: true })
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error });
}

/** An address of the web. Nothing further is asked of a text that is none. */
export const webAddress = z.url({
  protocol: /^https?$/,
  error: 'must be an http or https address',
  abort: true,
});
