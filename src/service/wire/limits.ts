/**
 * Lengths, counts and times the specification fixes (section Limits and the rules of each resource).
 * Our own limits live in `base/kernel/limits.ts`.
 */

/** An acquirer reference number has exactly this many characters. */
export const ARN_LENGTH = 23;

/** An authorisation code has exactly this many characters. */
export const AUTHORISATION_CODE_LENGTH = 6;

/** Orders in one `POST /v1/orders/`. */
export const ORDERS_PER_CREATE_MAX = 100;

/** A longer `order_number` is truncated in receipts of the second network; it is not refused. */
export const ORDER_NUMBER_LENGTH_MAX = 25;

/** Characters of a merchant's `external_id`. */
export const EXTERNAL_ID_LENGTH_MAX = 250;

/** A webhook must be answered 2xx within this time, in milliseconds. */
export const WEBHOOK_ANSWER_MS_MAX = 20_000;

/** How far the signature's timestamp may be away, in either direction, in seconds. */
export const SIGNATURE_TOLERANCE_SECONDS = 300;

/** Waits before the five retries of a webhook delivery, in milliseconds: 1, 5, 30 min, 2, 12 h. */
export const WEBHOOK_RETRY_DELAYS_MS = [60_000, 300_000, 1_800_000, 7_200_000, 43_200_000] as const;

/** The only currency of an amount rule. Other currencies are converted before it is evaluated. */
export const AMOUNT_RULE_CURRENCY = 'USD';

/** The note the service sets on an enrolment that was cancelled through the interface. */
export const ENROLMENT_CANCELLED_NOTE = 'Enrolment cancelled via API request';
