/**
 * Writes the match that a person made by naming a charge, and remembers the choice as evidence for
 * later alerts about the same payment.
 */
import { z } from 'zod';
import type { Trx } from '../../base/db/database.ts';
import { findCharge } from '../../orders/charge.store.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { alertFactsOf } from '../match/alert-facts.ts';
import { rememberChoice } from '../match/choice.store.ts';
import { compare } from '../match/compare.ts';
import { usableLast4 } from '../match/identifiers.ts';
import { findAlert, findMatch } from '../match/match.store.ts';
import { DEFAULT_MATCH_SETTINGS } from '../match/match-settings.ts';

/** Which charge, by whom, and why. */
export interface OperatorMatch {
  readonly chargeReference: string;
  readonly operator: string;
  readonly note: string;
  readonly now: Date;
}

/**
 * Stores the match and returns its id. The candidates of the match before stay beside it, so that
 * anybody can see between what the person chose.
 */
export async function writeOperatorMatch(
  trx: Trx,
  current: CaseRow,
  match: OperatorMatch,
): Promise<number> {
  const { organisation_id: organisationId, alert_id: alertId } = current;
  const { chargeReference, operator, now } = match;
  const row = await findAlert(trx, organisationId, alertId);
  const alert = row === undefined ? undefined : alertFactsOf(row);
  const charge = await findCharge(trx, organisationId, chargeReference);
  const before =
    current.match_id === null
      ? undefined
      : await findMatch(trx, current.organisation_id, current.match_id);
  const found =
    alert === undefined || charge === undefined
      ? undefined
      : compare(alert, { charge, sources: [charge.source] }, DEFAULT_MATCH_SETTINGS);
  if (alert !== undefined) {
    const chargeCardLast4 = usableLast4(charge?.cardLast4 ?? null);
    const choice = { organisationId, alert, chargeReference, chargeCardLast4, operator, now };
    await rememberChoice(trx, choice);
  }
  const { id } = await trx
    .insertInto('match')
    .values({
      organisation_id: organisationId,
      alert_id: alertId,
      outcome: 'single',
      charge_reference: chargeReference,
      tier: 'operator',
      evidence: JSON.stringify({
        sentence: `${operator} chose charge ${chargeReference}.`,
        note: match.note,
        facts: found?.evidence ?? [],
        search: charge === undefined ? 'the charge is not in our index' : 'not needed',
      }),
      candidates: JSON.stringify(before?.candidates ?? []),
      matched_at: now,
      matched_by: `operator:${operator}`,
      score: found?.score ?? null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/**
 * Whether this alert has money in another charge: a refund that was sent, or may have been. Naming a
 * second charge then could refund two payments for one alert.
 */
export async function holdsMoneyElsewhere(
  trx: Trx,
  current: CaseRow,
  chargeReference: string,
): Promise<boolean> {
  const row = await trx
    .selectFrom('movement')
    .select('id')
    .where('organisation_id', '=', current.organisation_id)
    .where('alert_id', '=', current.alert_id)
    .where('charge_reference', '!=', chargeReference)
    .where('idempotency_key', 'is not', null)
    .where('state', 'not in', ['REJECTED', 'NOT_SENT', 'REVERSED'])
    .executeTakeFirst();
  return row !== undefined;
}

const shownCandidates = z.array(z.looseObject({ reference: z.string() }));

/**
 * Whether the charge was paid with other card digits than the alert says, and is none of those that the match laid before
 * people with what speaks against them. What is not known differs from nothing.
 */
export async function isUnshownOtherCard(
  trx: Trx,
  { organisation_id: organisationId, alert_id: alertId, match_id: matchId }: CaseRow,
  chargeReference: string,
): Promise<boolean> {
  const row = await findAlert(trx, organisationId, alertId);
  const charge = await findCharge(trx, organisationId, chargeReference);
  if (row === undefined || charge === undefined) return false;
  const candidate = { charge, sources: [charge.source] };
  const { verdicts } = compare(alertFactsOf(row), candidate, DEFAULT_MATCH_SETTINGS);
  if (verdicts.card_last4 !== 'differs' && verdicts.card_bin !== 'differs') return false;
  const match = matchId === null ? undefined : await findMatch(trx, organisationId, matchId);
  const shown = shownCandidates.safeParse(match?.candidates).data ?? [];
  return !shown.some(({ reference }) => reference === chargeReference);
}
