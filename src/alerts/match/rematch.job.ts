/**
 * The second look at a held case that waits for a charge: when an order or a charge arrives that could
 * be it, and every hour in any case, until its fallback fires.
 *
 * Durable after, in one transaction: the match, what the search taught us, and the case's move.
 */
import { z } from 'zod';
import { ofCase, writeAudit } from '../../base/audit/audit.store.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { moveCase } from '../cases/case.store.ts';
import type { FoundCharge } from './find-charge.ts';
import type { MatchDeps, Matched } from './match.job.ts';
import {
  bookNetworkMoney,
  candidatesOf,
  caseColumns,
  findFor,
  NO_LONGER_HELD,
  readAlertOf,
  storeMatch,
  wakeOthers,
} from './match.job.ts';
import type { StoredMatch } from './match.store.ts';
import { attachMatch, findAlert, findMatch, STORED_CANDIDATES_MAX } from './match.store.ts';
import type { MatchOutcome } from './matcher.ts';

/** What a second look came to. */
export interface Rematch {
  /** The case went to `MATCHED`, or ended; its holder is done with it. */
  readonly moved: boolean;
  readonly outcome: MatchOutcome;
  /** The case as it is now. */
  readonly claim: CaseRow;
}

/** Looks again for the charge of a held case. */
export type RematchCase = (claim: CaseRow, signal: AbortSignal) => Promise<Rematch>;

/**
 * A second look at a case that waits for a charge. It moves the case only to `MATCHED`. Another
 * outcome is stored with it, and so are other candidates of the same outcome; the case stays where it
 * is, and after other candidates alone it is the same claim that continues. What turns out to be the
 * network's own refund is booked as such, and its case ends.
 */
export function createRematch(deps: MatchDeps): RematchCase {
  return async function rematch(claim, signal): Promise<Rematch> {
    const alert = await readAlertOf(deps, claim);
    const before =
      claim.match_id === null
        ? undefined
        : await findMatch(deps.db, claim.organisation_id, claim.match_id);
    const found = await findFor(deps, alert, signal);
    const { outcome } = found.result;
    const looked = { deps, claim, alert, found };
    if (alert.enrolment_type === 'NETB_RDR') {
      await bookNetworkMoney(looked);
      return { moved: true, outcome, claim };
    }
    const isAnsweredAlike = before !== undefined && wasUnanswered(before) === found.unanswered;
    if (outcome !== 'single' && outcome === before?.outcome && isAnsweredAlike) {
      if (!isSameChoice(before, found)) await storeCandidates(looked);
      return { moved: false, outcome, claim };
    }
    return { moved: outcome === 'single', outcome, claim: await commitRematch(looked) };
  };
}

/** Looks for the charge of an alert without deciding anything: network money that waits for one, an acceptance that is about to be said. */
export function createLocateCharge(
  deps: MatchDeps,
): (
  alertId: string,
  signal: AbortSignal,
) => Promise<
  | { readonly kind: 'single'; readonly reference: string }
  | { readonly kind: 'none' | 'unanswered'; readonly candidates?: readonly string[] }
> {
  return async (alertId, signal) => {
    const alert = await findAlert(deps.db, deps.organisationId, alertId);
    if (alert === undefined) return { kind: 'none' };
    const { result, unanswered } = await findFor(deps, alert, signal);
    if (result.chargeReference !== null)
      return { kind: 'single', reference: result.chargeReference };
    const candidates = candidatesOf(result);
    return { kind: unanswered ? 'unanswered' : 'none', candidates };
  };
}

async function commitRematch(looked: Matched): Promise<CaseRow> {
  const { deps, claim, found } = looked;
  const { outcome } = found.result;
  const now = nowDate(deps.clock);
  const { next, kept } = await inTransaction(deps.db, async (trx) => {
    const kept = await storeMatch(trx, looked, now);
    const moved = outcome === 'single';
    return {
      kept,
      next: await moveCase(trx, claim, {
        to: moved ? 'MATCHED' : claim.state,
        now,
        nextActionAt: now,
        keepLease: !moved,
        what: `matched again: ${outcome}`,
        set: moved
          ? { ...caseColumns(kept.matchId, found), ...NO_LONGER_HELD }
          : { match_id: kept.matchId },
      }),
    };
  });
  await wakeOthers(deps, kept);
  return next;
}

/** Nothing is decided by it; a person sees the candidates that came or went. */
async function storeCandidates(looked: Matched): Promise<void> {
  const { deps, claim, found } = looked;
  const now = nowDate(deps.clock);
  const stored = await inTransaction(deps.db, async (trx) => {
    const kept = await storeMatch(trx, looked, now);
    await attachMatch(trx, claim, kept.matchId);
    await writeAudit(trx, {
      organisationId: deps.organisationId,
      at: now,
      ...ofCase(claim.alert_id),
      what: `other candidates: ${found.result.sentence}`,
      detail: { match_id: kept.matchId },
    });
    return kept;
  });
  await wakeOthers(deps, stored);
}

const storedEvidence = z.looseObject({ unanswered: z.boolean().catch(false).default(false) });

function wasUnanswered({ evidence }: StoredMatch): boolean {
  return storedEvidence.safeParse(evidence).data?.unanswered ?? false;
}

/** Whether a person would be shown the same charges with the same standing. */
function isSameChoice(before: StoredMatch, { result }: FoundCharge): boolean {
  const now = result.candidates.slice(0, STORED_CANDIDATES_MAX).map((shown) => standing(shown));
  const parsed = storedCandidates.safeParse(before.candidates);
  return parsed.success && JSON.stringify(parsed.data.map(standing)) === JSON.stringify(now);
}

/** What a person would see change; the texts follow from it. */
interface Standing {
  readonly reference: string;
  readonly tier: string | null;
  readonly sign?: string | null | undefined;
  readonly score: number;
}

function standing({ reference, tier, sign, score }: Standing): unknown[] {
  return [reference, tier, sign ?? null, score];
}

const storedCandidates = z.array(
  z.looseObject({
    reference: z.string(),
    tier: z.string().nullable(),
    sign: z.string().nullish(),
    score: z.number(),
  }),
);
