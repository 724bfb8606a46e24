/**
 * The loop of what comes in besides alerts: events of the processor, and claims that are to become cases.
 *
 * A row is taken by moving its next moment on; a worker that dies leaves it due again. What could not be
 * asked is asked again, with growing waits.
 */

import type { DueCondition } from '../../base/jobs/due.store.ts';
import { anyDue } from '../../base/jobs/due.store.ts';
import { backoffMs } from '../../base/kernel/backoff.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { LEASE_MS } from '../../base/kernel/limits.ts';
import { applyEvent } from './apply-event.ts';
import type { ProcessorEventRow } from './processor-event.store.ts';
import {
  claimDueEvents,
  finishEvent,
  hasDueEvents,
  postponeEvent,
} from './processor-event.store.ts';
import type { RefundClaimRow } from './refund-claim.store.ts';
import { claimDueClaims, hasDueClaims, planClaim } from './refund-claim.store.ts';
import type { SignalDeps } from './signal-deps.ts';
import { takeClaim } from './take-claim.ts';

/** Rows of each kind that a round takes. */
const SIGNAL_BATCH = 16;

/** A processor that does not answer is asked again: soon at first, then every few minutes. */
const AGAIN = { baseMs: 2_000, maxMs: 10 * 60_000 };

/** An event is no news any more after so many questions, about a day; polls and the books continue. */
const ATTEMPTS_MAX = 150;

/** Whether a round would find something. */
export const hasSignals: DueCondition = anyDue([hasDueEvents, hasDueClaims]);

/** Runs one round. Returns how many rows it looked at. */
export function createSignalRound(deps: SignalDeps): () => Promise<number> {
  return async () => {
    const { db, organisationId, clock } = deps;
    const now = nowDate(clock);
    const until = new Date(now.getTime() + LEASE_MS);
    const query = { organisationId, now, until, limit: SIGNAL_BATCH };
    const claims = await claimDueClaims(db, query);
    const events = await claimDueEvents(db, query);
    const signal = AbortSignal.timeout(LEASE_MS);
    await Promise.all([
      ...claims.map((claim) => runClaim(deps, claim, signal)),
      ...byCharge(events).map((group) => runEvents(deps, group, signal)),
    ]);
    return claims.length + events.length;
  };
}

/** Events of one charge one after another: side by side they would void each other's readings. */
function byCharge(events: readonly ProcessorEventRow[]): ProcessorEventRow[][] {
  const groups = Map.groupBy(events, ({ charge_references }) => charge_references.join('\n'));
  return [...groups.values()];
}

async function runEvents(
  deps: SignalDeps,
  group: readonly ProcessorEventRow[],
  signal: AbortSignal,
): Promise<void> {
  for (const event of group) await runEvent(deps, event, signal);
}

async function runEvent(
  deps: SignalDeps,
  event: ProcessorEventRow,
  signal: AbortSignal,
): Promise<void> {
  const { db, log, clock } = deps;
  try {
    const result = await applyEvent(deps, event, signal);
    const now = nowDate(clock);
    if (result.kind === 'done') return await finishEvent(db, event, { ...result, now });
    if (event.attempts >= ATTEMPTS_MAX) {
      return await finishEvent(db, event, { outcome: 'not answered', now });
    }
    await postponeEvent(db, event, after(now, event.attempts));
  } catch (error) {
    // Its time runs out, and it is due again.
    log.error({ err: error, eventId: event.event_id }, 'event of the processor not applied');
  }
}

async function runClaim(
  deps: SignalDeps,
  claim: RefundClaimRow,
  signal: AbortSignal,
): Promise<void> {
  const { db, log, clock } = deps;
  try {
    const unasked = await takeClaim(deps, claim, signal);
    if (unasked !== undefined) await planClaim(db, claim, after(nowDate(clock), claim.attempts));
  } catch (error) {
    log.error({ err: error, claimId: claim.id }, 'claim for a refund not opened');
  }
}

function after(now: Date, attempts: number): Date {
  return new Date(now.getTime() + backoffMs(attempts, AGAIN));
}
