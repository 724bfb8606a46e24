/**
 * Matches a new alert to its charge: the step of `RECEIVED`, and the second look at held alerts.
 *
 * Durable before: the case and the alert's row. Durable after, in one transaction: the match with
 * its evidence, what the processor's search taught us, and the case's move. The only outside call is
 * the processor's search; run again from the start it does the same.
 */
import type { Transaction } from 'kysely';
import type { CaseRow } from '../cases/case.store.ts';
import { moveCase } from '../cases/case.store.ts';
import type { CaseStep } from '../cases/case-runner.ts';
import type { CaseState } from '../cases/case-state.ts';
import { closeRemote } from '../cases/hold-case.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../kernel/clock.ts';
import { nowDate } from '../kernel/clock.ts';
import { InvariantError } from '../kernel/errors.ts';
import { notify } from '../notify/notification.store.ts';
import { alertFactsOf } from './alert-facts.ts';
import { recordCharges } from './charge.store.ts';
import type { FindChargeDeps, FoundCharge } from './find-charge.ts';
import { findChargeOf } from './find-charge.ts';
import type { StoredAlert } from './match.store.ts';
import { findAlert, findMatch, writeMatch } from './match.store.ts';
import type { MatchSettings } from './match-settings.ts';
import { DEFAULT_MATCH_SETTINGS } from './match-settings.ts';
import type { MatchOutcome } from './matcher.ts';

/** Books what the network has refunded and ends the case as `RECONCILED_RDR`. Calls nobody. */
export type ReconcileRdr = (
  trx: Transaction<Database>,
  claim: CaseRow,
  rdr: {
    readonly alert: StoredAlert;
    /** Null when no single charge was found. */
    readonly chargeReference: string | null;
    readonly now: Date;
  },
) => Promise<unknown>;

/** What matching works with. */
export interface MatchDeps extends Omit<FindChargeDeps, 'settings'> {
  readonly clock: Clock;
  /** @default DEFAULT_MATCH_SETTINGS */
  readonly settings?: MatchSettings;
  readonly reconcileRdr: ReconcileRdr;
}

/** What a second look came to. */
export interface Rematch {
  /** The case went to `MATCHED`; its holder is done with it. */
  readonly moved: boolean;
  readonly outcome: MatchOutcome;
  /** The case as it is now. */
  readonly claim: CaseRow;
}

/** Looks again for the charge of a held case. */
export type RematchCase = (claim: CaseRow, signal: AbortSignal) => Promise<Rematch>;

const STATE_OF: Readonly<Record<MatchOutcome, CaseState>> = {
  single: 'MATCHED',
  none: 'UNMATCHED',
  several: 'AMBIGUOUS',
};

/** The step of `RECEIVED`. */
export function createMatchStep(deps: MatchDeps): CaseStep {
  return async function matchStep(claim, signal): Promise<void> {
    const alert = await readAlertOf(deps, claim);
    const isRdr = alert.enrolment_type === 'NETB_RDR';
    if (alert.status === 'INVALID' || (alert.status === 'RESOLVED' && !isRdr)) {
      return await close(deps, claim, alert);
    }
    if (alert.status !== 'ACTION_REQUIRED' && alert.status !== 'RESOLVED') {
      return await holdUnknown(deps, claim, alert);
    }
    const found = await findFor(deps, alert, signal);
    return isRdr
      ? await commitRdr(deps, { claim, alert, found })
      : await commitMatch(deps, { claim, alert, found });
  };
}

/**
 * A second look at a case that waits for a charge. It moves the case only to `MATCHED`; another
 * outcome is stored with it, and the case stays where it is.
 */
export function createRematch(deps: MatchDeps): RematchCase {
  return async function rematch(claim, signal): Promise<Rematch> {
    const alert = await readAlertOf(deps, claim);
    const before = claim.match_id === null ? undefined : await findMatch(deps.db, claim.match_id);
    const found = await findFor(deps, alert, signal);
    const { outcome } = found.result;
    if (outcome !== 'single' && outcome === before?.outcome) {
      return { moved: false, outcome, claim };
    }
    const now = nowDate(deps.clock);
    return await inTransaction(deps.db, async (trx) => {
      const matchId = await store(trx, { deps, alert, found, now });
      const moved = outcome === 'single';
      const next = await moveCase(trx, claim, {
        to: moved ? 'MATCHED' : claim.state,
        now,
        nextActionAt: now,
        keepLease: !moved,
        what: `matched again: ${outcome}`,
        set: moved ? { ...caseColumns(matchId, found), ...NO_LONGER_HELD } : { match_id: matchId },
      });
      return { moved, outcome, claim: next };
    });
  };
}

const NO_LONGER_HELD = { hold_reason: null, fallback_action: null, fallback_at: null };

interface Matched {
  readonly claim: CaseRow;
  readonly alert: StoredAlert;
  readonly found: FoundCharge;
}

async function commitMatch(deps: MatchDeps, { claim, alert, found }: Matched): Promise<void> {
  const now = nowDate(deps.clock);
  await inTransaction(deps.db, async (trx) => {
    const matchId = await store(trx, { deps, alert, found, now });
    await moveCase(trx, claim, {
      to: STATE_OF[found.result.outcome],
      now,
      nextActionAt: now,
      what: found.result.sentence,
      detail: { match_id: matchId, tier: found.result.tier },
      set: caseColumns(matchId, found),
    });
  });
}

/** The network has refunded already (specification, "Alert status"): only the books are kept. */
async function commitRdr(deps: MatchDeps, { claim, alert, found }: Matched): Promise<void> {
  const now = nowDate(deps.clock);
  const { chargeReference } = found.result;
  await inTransaction(deps.db, async (trx) => {
    const matchId = await store(trx, { deps, alert, found, now });
    const matched = await moveCase(trx, claim, {
      to: 'RECEIVED',
      now,
      nextActionAt: now,
      keepLease: true,
      what: found.result.sentence,
      detail: { match_id: matchId, tier: found.result.tier },
      set: caseColumns(matchId, found),
    });
    await deps.reconcileRdr(trx, matched, { alert, chargeReference, now });
  });
}

async function close(deps: MatchDeps, claim: CaseRow, alert: StoredAlert): Promise<void> {
  const now = nowDate(deps.clock);
  const { status, refund_outcome: refundOutcome } = alert;
  await inTransaction(deps.db, (trx) => closeRemote(trx, claim, { status, refundOutcome, now }));
}

/** A status the specification does not name: nothing is done, and a person is told (F22). */
async function holdUnknown(deps: MatchDeps, claim: CaseRow, alert: StoredAlert): Promise<void> {
  const now = nowDate(deps.clock);
  await inTransaction(deps.db, async (trx) => {
    await moveCase(trx, claim, {
      to: 'HUMAN',
      now,
      nextActionAt: claim.deadline_at > now ? claim.deadline_at : now,
      what: `status ${alert.status} is not known`,
      set: { ...NO_LONGER_HELD, hold_reason: 'alert_status_unknown' },
    });
    await notify(trx, {
      organisationId: deps.organisationId,
      dedupeKey: `hold:${alert.id}:alert_status_unknown`,
      kind: 'case_held',
      severity: 'error',
      alertId: alert.id,
      text: `Alert ${alert.id} has a status Forestall does not know. Nothing is done about it. Look at it in the service's dashboard before ${claim.deadline_at.toISOString()}.`,
      at: now,
    });
  });
}

async function findFor(
  deps: MatchDeps,
  alert: StoredAlert,
  signal: AbortSignal,
): Promise<FoundCharge> {
  const settings = deps.settings ?? DEFAULT_MATCH_SETTINGS;
  return await findChargeOf({ ...deps, settings }, alertFactsOf(alert), signal);
}

async function store(
  trx: Transaction<Database>,
  match: {
    readonly deps: MatchDeps;
    readonly alert: StoredAlert;
    readonly found: FoundCharge;
    readonly now: Date;
  },
): Promise<number> {
  const { deps, alert, found, now } = match;
  await recordCharges(trx, deps.organisationId, { charges: found.learnt, now });
  return await writeMatch(trx, {
    organisationId: deps.organisationId,
    alertId: alert.id,
    result: found.result,
    search: found.search,
    now,
  });
}

function caseColumns(
  matchId: number,
  found: FoundCharge,
): { match_id: number; charge_reference: string | null } {
  return { match_id: matchId, charge_reference: found.result.chargeReference };
}

async function readAlertOf(deps: MatchDeps, claim: CaseRow): Promise<StoredAlert> {
  const alert = await findAlert(deps.db, deps.organisationId, claim.alert_id);
  if (alert === undefined) {
    throw new InvariantError(`Case ${claim.alert_id} has no alert. Poll the service for it.`);
  }
  return alert;
}
