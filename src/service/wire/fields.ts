/**
 * The building blocks every resource schema is made of.
 *
 * Readers accept what the service may add tomorrow: unknown fields stay, unknown enumeration values
 * are plain strings, and what the specification does not mark as required may be null or absent.
 * Writers are strict, so that a slip on our side is found before it is sent.
 */
import { z } from 'zod';
import { withZone } from '../../base/kernel/instant.ts';

/** A string with at least one character. */
export const text = z.string().min(1);

/** A string that may be null or absent in an answer. */
export const maybeText = z.string().nullish();

/**
 * An ISO 8601 moment. Without a zone it is UTC, as the specification writes all times, and says so once
 * it is read: `Date` would take it as the machine's own time. It stays a string, because a `Date` would
 * drop microseconds.
 */
export const timestamp = z.iso.datetime({ offset: true, local: true }).transform(withZone);

/** A moment that may be null or absent in an answer. */
export const maybeTimestamp = timestamp.nullish();

/** A day or moment that may be null or absent in an answer; card networks often know the day only. */
export const maybeDate = timestamp.or(z.iso.date()).nullish();

/** A moment we send: with its zone. */
export const timestampOut = z.iso.datetime({ offset: true });

/** A moment or a plain date that we send. */
export const dateOrTimestampOut = timestampOut.or(z.iso.date());

/**
 * An amount in minor units. Only safe integers pass, so `1e400`, `2^53 + 1` and fractions are
 * refused here and never rounded.
 */
export const amountMinor = z.int();

/** An amount that may be null or absent in an answer. */
export const maybeAmountMinor = amountMinor.nullish();

/** An amount we send: zero or more. */
export const amountMinorOut = z.int().min(0);

/** ISO 4217, three upper-case letters. */
export const currencyCode = z.string().regex(/^[A-Z]{3}$/, 'must be three upper-case letters');

/** True or false, or null or absent in an answer. */
export const maybeBoolean = z.boolean().nullish();

/** A known value, which editors offer, or any other string: `string` alone would swallow the known ones. */
export type Open<Known extends string> = Known | (string & Record<never, never>);

/** One of the known values, or any other string the service may introduce. */
export function openEnum<const Values extends readonly [string, ...string[]]>(
  values: Values,
): z.ZodType<Open<Values[number]>, Open<Values[number]>> {
  return z.enum(values).or(z.string());
}

/** A link of a resource to itself, as merchants and enrolments carry it. */
export const linkSchema = z.looseObject({ rel: z.string(), uri: z.string() });
