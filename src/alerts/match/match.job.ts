/**
 * Matches a new alert to its charge: the step of `RECEIVED`, and what it shares with the second look at held
 * cases (`rematch.job.ts`): the alert's row, the search, and keeping what was found.
 *
 * Durable before: the case and the alert's row. Durable after, in one transaction: the match with
 * its evidence, what the processor's search taught us, and the case's move. The only outside call is
 * the processor's search; run again from the start it does the same.
 */
import { sql } from 'kysely';
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { backoffMs } from '../../base/kernel/backoff.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { InvariantError } from '../../base/kernel/errors.ts';
import { utcWords } from '../../base/kernel/instant.ts';
import { notify } from '../../base/notify/notification.store.ts';
import { recordCharges } from '../../orders/charge.store.ts';
import type { ChargeRecord } from '../../orders/charge-record.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { moveCase } from '../cases/case.store.ts';
import { postponeCase } from '../cases/case-plan.store.ts';
import type { CaseStep } from '../cases/case-runner.ts';
import type { CaseState } from '../cases/case-state.ts';
import { closeRemote } from '../cases/hold-case.ts';
import type { NamingAlert } from '../cases/merchant.ts';
import { namedBy } from '../cases/merchant.ts';
import { isRouted } from '../cases/routed-processor.ts';
import type { AlertFacts } from './alert-facts.ts';
import { alertFactsOf } from './alert-facts.ts';
import type { FindChargeDeps, FoundCharge } from './find-charge.ts';
import { findChargeOf } from './find-charge.ts';
import type { NewMatch, StoredAlert } from './match.store.ts';
import { findAlert, insertingMatch, STORED_CANDIDATES_MAX, writeMatch } from './match.store.ts';
import type { MatchSettings } from './match-settings.ts';
import { DEFAULT_MATCH_SETTINGS } from './match-settings.ts';
import type { MatchOutcome } from './matcher.ts';
import { matchAlert } from './matcher.ts';
import { rematchWaiting } from './waiting.store.ts';

/** Books what the network has refunded and ends the case as `RECONCILED_RDR`. Makes no calls. */
export type ReconcileRdr = (
  trx: Trx,
  claim: CaseRow,
  rdr: {
    readonly alert: StoredAlert;
    /** Null when no single charge was found. */
    readonly chargeReference: string | null;
    /** Charges that it may be about. */
    readonly candidates: readonly string[];
    readonly now: Date;
  },
) => Promise<unknown>;

/** What matching works with. */
export interface MatchDeps extends Omit<FindChargeDeps, 'settings'> {
  readonly clock: Clock;
  /** @default DEFAULT_MATCH_SETTINGS */
  readonly settings?: MatchSettings;
  /** Those of an alert's merchant, where it has its own. */
  readonly settingsOf?: (alert: NamingAlert) => MatchSettings | undefined;
  readonly reconcileRdr: ReconcileRdr;
}

/** An alert, and what was found for it. */
export interface Matched {
  readonly deps: MatchDeps;
  readonly claim: CaseRow;
  readonly alert: StoredAlert;
  readonly found: FoundCharge;
}

/** A hold that a new match ends. */
export const NO_LONGER_HELD = { hold_reason: null, fallback_action: null, fallback_at: null };

const STATE_OF: Readonly<Record<MatchOutcome, CaseState>> = {
  single: 'MATCHED',
  none: 'UNMATCHED',
  several: 'AMBIGUOUS',
};

/** Waits for a search that is away, and how often; minutes in all, then a person may look. */
const ASK_AGAIN = { baseMs: 2_000, maxMs: 60_000 };
const ASK_ATTEMPTS_MAX = 6;

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
    if (found.unanswered && claim.attempts < ASK_ATTEMPTS_MAX) return await askAgain(deps, claim);
    const matched = { deps, claim, alert, found };
    return isRdr ? await bookNetworkMoney(matched) : await commitMatch(matched);
  };
}

/** The alert of a case. */
export async function readAlertOf(deps: MatchDeps, claim: CaseRow): Promise<StoredAlert> {
  const alert = await findAlert(deps.db, deps.organisationId, claim.alert_id);
  if (alert === undefined) {
    throw new InvariantError(`Case ${claim.alert_id} has no alert. Poll the service for it.`);
  }
  return alert;
}

/** The processor's search is away for a moment: the alert waits a little before it is called unmatched. */
async function askAgain({ db, clock }: MatchDeps, claim: CaseRow): Promise<void> {
  const now = nowDate(clock);
  const retryAt = new Date(now.getTime() + backoffMs(claim.attempts + 1, ASK_AGAIN));
  await postponeCase(db, claim, { now, retryAt, error: 'the processor’s search cannot be asked' });
}

/** Mostly the search taught us nothing: then match and move are one statement, and need no transaction. */
async function commitMatch(matched: Matched): Promise<void> {
  const { deps, found } = matched;
  const now = nowDate(deps.clock);
  if (found.learnt.length === 0) return void (await moveToMatch(deps.db, matched, now));
  const news = await inTransaction(deps.db, async (trx) => {
    const charges = found.learnt;
    const learnt = await recordCharges(trx, deps.organisationId, { charges, now });
    await moveToMatch(trx, matched, now);
    return learnt;
  });
  await wakeOthers(deps, { news });
}

async function moveToMatch(db: Db, matched: Matched, now: Date): Promise<void> {
  const { claim, found } = matched;
  const { result } = found;
  await moveCase(db, claim, {
    to: STATE_OF[result.outcome],
    now,
    nextActionAt: now,
    what: result.sentence,
    detail: { tier: result.tier },
    set: { charge_reference: result.chargeReference },
    beside: { matched: insertingMatch(newMatch(matched, now), sql`from held`) },
    setFrom: { match_id: sql<number>`(select id from matched)` },
    detailOf: sql`(select jsonb_build_object('match_id', id) from matched)`,
  });
}

/** Looks for the charge, by the settings in force, at the processor of the alert's merchant. */
export async function findFor(
  deps: MatchDeps,
  alert: StoredAlert,
  signal: AbortSignal,
): Promise<FoundCharge> {
  const { processor } = deps;
  const settings = deps.settingsOf?.(alert) ?? deps.settings ?? DEFAULT_MATCH_SETTINGS;
  const facts = alertFactsOf(alert);
  if (!isRouted(processor)) return await findChargeOf({ ...deps, settings }, facts, signal);
  const through = processor.ofMerchants(namedBy(alert));
  if (through === undefined) return nothingFound(facts, UNCLEAR_MERCHANT);
  const { processor: own } = through;
  const found = await findChargeOf({ ...deps, processor: own, settings }, facts, signal);
  const { chargeReference } = found.result;
  if (chargeReference === null) return found;
  const owner = await processor.ofCharge(chargeReference, alert.id);
  if (owner === null || owner?.processor === own) return found;
  return nothingFound(
    facts,
    `Charge ${chargeReference} belongs to another merchant, whose processor is another one; none is chosen.`,
  );
}

const UNCLEAR_MERCHANT =
  'The alert names merchants that have different processors, so no charge is looked for.';

/** It may not be guessed: a person answers the alert. */
function nothingFound(facts: AlertFacts, sentence: string): FoundCharge {
  const result = { ...matchAlert(facts, [], DEFAULT_MATCH_SETTINGS), sentence };
  return { result, search: 'not asked', unanswered: false, learnt: [] };
}

/** What was kept. */
export interface Kept {
  readonly matchId: number;
  /** Charges the processor's search told of that we did not know so. */
  readonly news: readonly ChargeRecord[];
}

/** Stores the match with its evidence, and what the processor's search taught us. */
export async function storeMatch(
  trx: Trx,
  { deps, alert, found }: Matched,
  now: Date,
): Promise<Kept> {
  const news = await recordCharges(trx, deps.organisationId, { charges: found.learnt, now });
  const matchId = await writeMatch(trx, newMatch({ deps, alert, found }, now));
  return { matchId, news };
}

/** The charges that it may be about: those with a tier, or a weaker sign. */
export function candidatesOf({ candidates }: FoundCharge['result']): readonly string[] {
  const signed = candidates.filter(({ tier, sign }) => tier !== null || sign !== null);
  return signed.slice(0, STORED_CANDIDATES_MAX).map(({ reference }) => reference);
}

/** The network has refunded already (specification, "Alert status"): only the books are kept. */
export async function bookNetworkMoney(matched: Matched): Promise<void> {
  const { deps, claim, alert, found } = matched;
  const now = nowDate(deps.clock);
  const { chargeReference } = found.result;
  const kept = await inTransaction(deps.db, async (trx) => {
    const { matchId, news } = await storeMatch(trx, matched, now);
    const booked = await moveCase(trx, claim, {
      to: claim.state,
      now,
      nextActionAt: now,
      keepLease: true,
      what: found.result.sentence,
      detail: { match_id: matchId, tier: found.result.tier },
      set: caseColumns(matchId, found),
    });
    const candidates = candidatesOf(found.result);
    await deps.reconcileRdr(trx, booked, { alert, chargeReference, candidates, now });
    return { matchId, news };
  });
  await wakeOthers(deps, kept);
}

/** The match to be stored. */
function newMatch(
  { deps, alert, found }: Pick<Matched, 'deps' | 'alert' | 'found'>,
  now: Date,
): NewMatch {
  return {
    organisationId: deps.organisationId,
    alertId: alert.id,
    result: found.result,
    search: found.search,
    unanswered: found.unanswered,
    now,
  };
}

/**
 * A charge found for one alert may be what another waits for. In a transaction of its own, so that
 * cases that wake each other never lock each other out; a wake-up that is lost costs the time until the
 * case's next look.
 */
export async function wakeOthers(deps: MatchDeps, { news }: Pick<Kept, 'news'>): Promise<void> {
  if (news.length === 0) return;
  const now = nowDate(deps.clock);
  await inTransaction(deps.db, (trx) =>
    rematchWaiting(trx, deps.organisationId, { charges: news, now }),
  );
}

/** The columns of the case that name a match. */
export function caseColumns(
  matchId: number,
  found: FoundCharge,
): { match_id: number; charge_reference: string | null } {
  return { match_id: matchId, charge_reference: found.result.chargeReference };
}

async function close(deps: MatchDeps, claim: CaseRow, alert: StoredAlert): Promise<void> {
  const now = nowDate(deps.clock);
  const { status, refund_outcome: refundOutcome } = alert;
  await inTransaction(deps.db, (trx) => closeRemote(trx, claim, { status, refundOutcome, now }));
}

/** A status the specification does not name: nothing is done, and a person is notified. */
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
      text: `Alert ${alert.id} has a status Forestall does not know. Nothing is done about it. Look at it in the service's dashboard before ${utcWords(claim.deadline_at)}.`,
      at: now,
    });
  });
}
