/**
 * When a recovery check is needed, and how long it must wait. Pure.
 *
 * Between the last thing this database knows and now, another Forestall may have acted, or this one
 * before the database was restored. What it did is known to the service and to the processor only.
 */
import { LEASE_MS } from '../../base/kernel/limits.ts';
import type { ProcessorCapabilities } from '../../service/wire/processor.ts';
import type { DatabaseIdentity } from './database-identity.store.ts';

/** Reasons for a recovery check. */
export const RECOVERY_REASON_NAMES = [
  'asked',
  'forgotten',
  'other_database',
  'silence',
  'unknown_past',
] as const;
export type RecoveryReason = (typeof RECOVERY_REASON_NAMES)[number];

/** The words people read. */
export const RECOVERY_REASONS: Readonly<Record<RecoveryReason, string>> = {
  asked: 'somebody asked for it',
  forgotten: 'the database no longer holds what was written last: it was restored',
  other_database: 'this is not the database that was written last: it was restored or taken over',
  silence: 'no worker ran for more than ten minutes',
  unknown_past: 'nothing tells when a worker last ran',
};

/** The last sign of life in the database. */
export interface SeenAlive extends DatabaseIdentity {
  readonly atMs: number;
}

/** What a worker knows at that moment. Times are milliseconds since 1970. */
export interface Present {
  readonly nowMs: number;
  readonly identity: string;
  /** There is a case older than a silence: a database without one has no past to lose. */
  readonly hasPast: boolean;
  /** The sign of life that this process wrote last; undefined at its start. */
  readonly wroteMs: number | undefined;
}

/** No worker for longer than this means that anything may have happened meanwhile, in milliseconds. */
export const SILENCE_MS = 10 * 60_000;

/** Why a recovery check is needed; undefined: it is not. */
export function reasonToCheck(
  alive: SeenAlive | undefined,
  present: Present,
): RecoveryReason | undefined {
  if (alive === undefined) return present.hasPast ? 'unknown_past' : undefined;
  if (alive.identity !== present.identity) return 'other_database';
  if (present.wroteMs !== undefined) return alive.atMs < present.wroteMs ? 'forgotten' : undefined;
  return present.nowMs - alive.atMs > SILENCE_MS ? 'silence' : undefined;
}

/** What was lost at most: since when, and when the check began. */
export interface LostTime {
  readonly sinceMs: number;
  /** The last sign of life before; null when nothing tells. */
  readonly aliveMs: number | null;
}

/**
 * The moment from which on the processor's look-ups show everything that was sent before the start.
 *
 * Where the keys of the lost time still live, a repeat returns the first result, and nothing has to be
 * waited for. Elsewhere a request may be under way, or executed and not yet shown.
 */
export function conclusiveAtMs(
  { sinceMs, aliveMs }: LostTime,
  capabilities: ProcessorCapabilities,
): number {
  const { idempotencyTtlHours, requestLifetimeSeconds, lookupLagSeconds } = capabilities;
  const lifetimeMs = requestLifetimeSeconds * 1_000 + LEASE_MS;
  const lostMs = aliveMs === null ? Number.POSITIVE_INFINITY : sinceMs - aliveMs;
  if (lostMs + lifetimeMs < idempotencyTtlHours * 3_600_000) return sinceMs;
  return sinceMs + lifetimeMs + lookupLagSeconds * 1_000;
}
