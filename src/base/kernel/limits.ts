/**
 * Limits that more than one part shares, each with its reason. A limit that only one module needs
 * is in that module.
 */

/** Largest webhook body, in bytes: well above any event, small enough to hold thousands. */
export const WEBHOOK_BODY_BYTES_MAX = 256 * 1024;

/**
 * Longest wait for the database before a webhook is answered 503, in milliseconds: the answer itself
 * must be there within 5 s (design), also on a machine with much to do.
 */
export const STORE_TIMEOUT_MS = 4_500;

/** One call to the service or to a processor, in milliseconds. Shorter than every lease. */
export const REMOTE_TIMEOUT_MS = 10_000;

/** Largest answer read from the service or a processor, in bytes. */
export const REMOTE_BODY_BYTES_MAX = 5 * 1024 * 1024;

/**
 * How long a claim on a case or refund lasts, in milliseconds. Above two remote calls, and short
 * enough that a killed worker's cases continue within 90 s.
 */
export const LEASE_MS = 30_000;

/** A worker stops within this time after SIGTERM, in milliseconds. */
export const SHUTDOWN_MS = 20_000;

/** The service allows 100 requests per minute per endpoint and organisation (specification, Limits). */
export const REQUESTS_PER_MINUTE_MAX = 100;

/** Shortly before a deadline nothing waits longer than {@link LAST_HOUR_WAIT_MS}; this is "shortly", in milliseconds. */
export const LAST_HOUR_MS = 60 * 60_000;

/** The longest wait between two looks in a case's last hour, in milliseconds. */
export const LAST_HOUR_WAIT_MS = 30_000;

/**
 * A transaction has ended so long after the moments that it writes, in milliseconds: what was counted before is counted for good.
 */
export const SETTLING_MS = 5 * 60_000;
