/** Lets cases continue that were held for a reason that has passed for all of them. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Db, Trx } from '../../base/db/database.ts';
import { wake } from '../../base/jobs/wake.store.ts';
import type { Money } from '../../base/kernel/money.ts';
import { moveCase } from './case.store.ts';
import { readCaseDecision } from './case-decision.store.ts';
import type { HoldReason } from './hold-reason.ts';

/** Which cases continue. */
export interface Release {
  readonly organisationId: string;
  readonly reason: HoldReason;
  readonly actor: string;
  readonly now: Date;
}

/**
 * Moves held cases on: what a person had decided stays decided, the rest is decided again. Cases past
 * their deadline stay with people.
 *
 * @returns how many went on
 */
export async function releaseHeldCases(
  trx: Trx,
  { organisationId, reason, actor, now }: Release,
): Promise<number> {
  const rows = await trx
    .selectFrom('alert_case')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('state', '=', 'HUMAN')
    .where('hold_reason', '=', reason)
    .where('charge_reference', 'is not', null)
    .where('deadline_at', '>', now)
    .orderBy('alert_id')
    .forUpdate()
    .execute();
  for (const row of rows) {
    const decision = await readCaseDecision(trx, row);
    const decided = decision?.byOperator === true && decision.action === 'REFUND';
    await moveCase(trx, row, {
      to: decided ? 'DECIDED_REFUND' : 'MATCHED',
      now,
      nextActionAt: now,
      what: 'continues: the reason for the hold has passed',
      actor,
      detail: { reason },
      set: { hold_reason: null, fallback_action: null, fallback_at: null, retry_at: null },
    });
  }
  return rows.length;
}

/** Cases that wait because the service did not answer us, or refused us, try again now. */
export async function wakeHeldByService(db: Db, organisationId: string, now: Date): Promise<void> {
  await wakingHeldByService(organisationId, now).execute(db);
  await wake(db, 'case');
}

/**
 * The same as a part of another statement, which may add conditions and change another case; the next look
 * at what is due finds them.
 */
export function wakingHeldByService(
  organisationId: string,
  now: Date,
  exceptAlertId = '',
): RawBuilder<unknown> {
  return sql`
    update alert_case set next_action_at = ${now},
      retry_at = case when retry_at > ${now} then ${now}::timestamptz else retry_at end
    where organisation_id = ${organisationId} and is_open and next_action_at > ${now} and deadline_at > ${now}
      and alert_id <> ${exceptAlertId}
      and (state in ('DECIDED_REFUND', 'DECLARE_REFUND', 'DECLARE_ACCEPT')
        or (state = 'HUMAN' and hold_reason = 'service_unavailable'))`;
}

/** Held cases that a release would let continue, and the sums that their alerts are about. */
export interface Releasable {
  readonly count: number;
  readonly sums: readonly Money[];
}

/** Reads what {@link releaseHeldCases} would let continue at this moment. */
export async function readReleasable(
  db: Db,
  { organisationId, reason, now }: Omit<Release, 'actor'>,
): Promise<Releasable> {
  const rows = await db
    .selectFrom('alert_case as c')
    .leftJoin('alert as a', (join) =>
      join.onRef('a.organisation_id', '=', 'c.organisation_id').onRef('a.id', '=', 'c.alert_id'),
    )
    .select(['a.currency', sql<number>`count(*)`.as('count')])
    .select(sql<number>`coalesce(sum(a.amount_minor), 0)::bigint`.as('amountMinor'))
    .where('c.organisation_id', '=', organisationId)
    .where('c.state', '=', 'HUMAN')
    .where('c.hold_reason', '=', reason)
    .where('c.charge_reference', 'is not', null)
    .where('c.deadline_at', '>', now)
    .groupBy('a.currency')
    .orderBy('a.currency')
    .execute();
  return {
    count: rows.reduce((sum, row) => sum + row.count, 0),
    sums: rows.flatMap(({ currency, amountMinor }) =>
      currency === null ? [] : [{ currency, amountMinor }],
    ),
  };
}
