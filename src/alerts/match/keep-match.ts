/** What the two looks at an alert share: its row, the search, and keeping what was found. */
import type { Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { InvariantError } from '../../base/kernel/errors.ts';
import { recordCharges } from '../../orders/charge.store.ts';
import type { ChargeRecord } from '../../orders/charge-record.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { moveCase } from '../cases/case.store.ts';
import type { NamingAlert } from '../cases/merchant.ts';
import { namedBy } from '../cases/merchant.ts';
import { isRouted } from '../cases/routed-processor.ts';
import type { AlertFacts } from './alert-facts.ts';
import { alertFactsOf } from './alert-facts.ts';
import type { FindChargeDeps, FoundCharge } from './find-charge.ts';
import { findChargeOf } from './find-charge.ts';
import type { NewMatch, StoredAlert } from './match.store.ts';
import { findAlert, STORED_CANDIDATES_MAX, writeMatch } from './match.store.ts';
import type { MatchSettings } from './match-settings.ts';
import { DEFAULT_MATCH_SETTINGS } from './match-settings.ts';
import { matchAlert } from './matcher.ts';
import { rematchWaiting } from './waiting.store.ts';

/** Books what the network has refunded and ends the case as `RECONCILED_RDR`. Calls nobody. */
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

/** Nobody may guess: a person answers the alert. */
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
export async function keepMatch(
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
    const { matchId, news } = await keepMatch(trx, matched, now);
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
export function newMatch(
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

/** The alert of a case. */
export async function readAlertOf(deps: MatchDeps, claim: CaseRow): Promise<StoredAlert> {
  const alert = await findAlert(deps.db, deps.organisationId, claim.alert_id);
  if (alert === undefined) {
    throw new InvariantError(`Case ${claim.alert_id} has no alert. Poll the service for it.`);
  }
  return alert;
}
