/**
 * All SQL of matches, and of the cases that wait for a charge to become known.
 */
import type { Kysely, Selectable, Transaction } from 'kysely';
import { sql } from 'kysely';
import type { AlertTable } from '../apply/entity.table.ts';
import { wake } from '../cases/case.store.ts';
import type { Database } from '../db/database.ts';
import type { ChargeRecord } from './charge-record.ts';
import { usableArn, usableCode, usableLast4 } from './identifiers.ts';
import type { MatchTable } from './match.table.ts';
import type { MatchResult } from './matcher.ts';

/** An alert as stored. */
export type StoredAlert = Selectable<AlertTable>;

/** A match as stored. */
export type StoredMatch = Selectable<MatchTable>;

/** Most candidates kept with a match: more than a person will compare. */
const STORED_CANDIDATES_MAX = 20;

/** Why a case is held for a person although another charge could change everything. */
export const WAITING_REASONS = ['no_charge', 'several_charges'] as const;

/** The alert of a case, or undefined. */
export async function findAlert(
  db: Kysely<Database>,
  organisationId: string,
  alertId: string,
): Promise<StoredAlert | undefined> {
  return await db
    .selectFrom('alert')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('id', '=', alertId)
    .executeTakeFirst();
}

/** One match, or undefined. */
export async function findMatch(
  db: Kysely<Database>,
  matchId: number,
): Promise<StoredMatch | undefined> {
  return await db.selectFrom('match').selectAll().where('id', '=', matchId).executeTakeFirst();
}

/** A match to be stored. */
export interface NewMatch {
  readonly organisationId: string;
  readonly alertId: string;
  readonly result: MatchResult;
  /** What the processor's search answered. */
  readonly search: string;
  readonly now: Date;
}

/** Stores a match with its evidence. Returns its id. */
export async function writeMatch(trx: Transaction<Database>, match: NewMatch): Promise<number> {
  const { result } = match;
  const { id } = await trx
    .insertInto('match')
    .values({
      organisation_id: match.organisationId,
      alert_id: match.alertId,
      outcome: result.outcome,
      charge_reference: result.chargeReference,
      tier: result.tier,
      evidence: JSON.stringify({
        sentence: result.sentence,
        facts: result.evidence,
        runnerUp: result.runnerUp,
        margin: result.margin,
        search: match.search,
      }),
      candidates: JSON.stringify(result.candidates.slice(0, STORED_CANDIDATES_MAX)),
      matched_at: match.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/**
 * Makes cases due that wait for a charge, where one of `charges` could be it. Call it in the
 * transaction that recorded them. Whether it is the one is the matcher's business.
 *
 * @returns how many cases were woken
 */
export async function rematchWaiting(
  trx: Transaction<Database>,
  organisationId: string,
  news: { readonly charges: readonly ChargeRecord[]; readonly now: Date },
): Promise<number> {
  if (news.charges.length === 0) return 0;
  const keys = news.charges.map((charge) => ({
    reference: charge.reference,
    arn: usableArn(charge.acquirerReferenceNumber),
    code: usableCode(charge.authorisationCode),
    last4: usableLast4(charge.cardLast4),
    amount: charge.amountMinor,
    currency: charge.currency,
  }));
  // Locked in one order, so that two feeds waking the same cases wait instead of deadlocking.
  const woken = await sql`
    with news as (
      select * from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb)
        as k(reference text, arn text, code text, last4 text, amount bigint, currency text)
    ), waiting as (
      select c.organisation_id, c.alert_id
      from alert_case c
      join alert a on a.organisation_id = c.organisation_id and a.id = c.alert_id
      where c.organisation_id = ${organisationId}
        and c.is_open
        and (c.state in ('UNMATCHED', 'AMBIGUOUS')
          or (c.state = 'HUMAN' and c.hold_reason in (${sql.join([...WAITING_REASONS])})))
        and c.next_action_at > ${news.now}
        and exists (
          select from news k
          where a.integration_transaction_id = k.reference
            or a.acquirer_reference_number = k.arn
            or (a.card_last4 = k.last4 and upper(trim(a.authorisation_code)) = k.code)
            or (a.card_last4 = k.last4 and a.amount_minor = k.amount and a.currency = k.currency)
        )
      order by c.alert_id
      for update of c
    )
    update alert_case c set next_action_at = ${news.now}
    from waiting w
    where c.organisation_id = w.organisation_id and c.alert_id = w.alert_id`.execute(trx);
  const count = Number(woken.numAffectedRows ?? 0n);
  if (count > 0) await wake(trx, 'case');
  return count;
}
