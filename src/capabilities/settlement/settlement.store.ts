/** Reads the alerts that a settlement file is compared with. */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { SettledAlert, SettlementRow } from './settlement.ts';
import { daysOf } from './settlement.ts';

/** Reference numbers asked for at once. */
const PAGE = 1_000;

/**
 * The network's own refunds with a reference number of the file, or created within its days.
 */
export async function alertsOfSettlement(
  db: Db,
  organisationId: string,
  rows: readonly SettlementRow[],
): Promise<SettledAlert[]> {
  const found = new Map<string, SettledAlert>();
  const keep = (alerts: readonly SettledAlert[]): void => {
    for (const alert of alerts) found.set(alert.alertId, alert);
  };
  const numbers = [...new Set(rows.map((row) => row.acquirerReferenceNumber))];
  for (let start = 0; start < numbers.length; start += PAGE) {
    const page = numbers.slice(start, start + PAGE);
    keep(await read(db, organisationId, sql`a.acquirer_reference_number = any(${page}::text[])`));
  }
  const days = daysOf(rows);
  if (days !== undefined) {
    keep(
      await read(
        db,
        organisationId,
        sql`a.acquirer_reference_number is not null
          and a.created_at >= ${days.from} and a.created_at < ${days.until}`,
      ),
    );
  }
  return [...found.values()];
}

/**
 * What we paid back for the same complaint; where it is not known to which complaint
 * one of them belongs, for any of the charge.
 */
const OWN_REFUND = sql<SettledAlert['ownRefund']>`(
  select json_build_object('id', min(m.id), 'amountMinor', sum(m.amount_minor), 'currency', m.currency)
  from movement m
  where m.organisation_id = a.organisation_id
    and m.charge_reference = coalesce(c.charge_reference, a.integration_transaction_id)
    and (c.dispute_id is null or m.dispute_id is null or m.dispute_id = c.dispute_id)
    and m.idempotency_key is not null and m.state in ('CONFIRMED', 'PENDING') and m.amount_minor > 0
  group by m.currency order by min(m.created_at) limit 1)`;

async function read(
  db: Db,
  organisationId: string,
  condition: ReturnType<typeof sql>,
): Promise<SettledAlert[]> {
  return await db
    .selectFrom('alert as a')
    .leftJoin('alert_case as c', (join) =>
      join.onRef('c.organisation_id', '=', 'a.organisation_id').onRef('c.alert_id', '=', 'a.id'),
    )
    .select(['a.id as alertId', 'a.amount_minor as amountMinor', 'a.currency', 'a.status'])
    .select(['a.refund_outcome as refundOutcome', 'a.created_at as createdAt'])
    .select([
      sql<string>`coalesce(a.acquirer_reference_number, '')`.as('acquirerReferenceNumber'),
      sql<string | null>`coalesce(c.charge_reference, a.integration_transaction_id)`.as(
        'chargeReference',
      ),
      OWN_REFUND.as('ownRefund'),
    ])
    .where('a.organisation_id', '=', organisationId)
    .where('a.enrolment_type', '=', 'NETB_RDR')
    .where(sql<boolean>`${condition}`)
    .execute();
}
