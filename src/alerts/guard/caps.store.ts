/**
 * What was sent, as the caps count it: refunds of ours whose request left, unless the processor
 * refused them. A refund whose answer is missing counts, because its money may have moved.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { dataKeysOf } from '../../base/db/carried-keys.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { lockOrganisation, organisationLock } from '../../base/db/organisation-lock.store.ts';
import type { StoredBody } from '../../orders/order.store.ts';
import { newestOrder, orderReferenceOf } from '../../orders/order.store.ts';
import { openBodyOf } from '../../orders/sealed-order.ts';
import { namesMerchant } from '../cases/charge-route.store.ts';
import type { ChargeKey } from '../ledger/ledger.store.ts';
import type { Sent } from './caps.ts';
import { customerIdentities } from './customer-identity.ts';
import { pausedSql } from './paused.store.ts';
import type { RecoveryFacts } from './recovery-check.store.ts';
import { recoveryFacts } from './recovery-check.store.ts';

const CAPS_LOCK = 'refund_caps';

/**
 * Serialises everything that counts or is counted until the transaction ends: two refunds on two
 * charges must not pass the last free place together. Taken after the charge's lock, never before.
 */
export async function lockCaps(trx: Trx, organisationId: string): Promise<void> {
  await lockOrganisation(trx, organisationId, CAPS_LOCK);
}

/** What the guards ask of a charge before they count. */
export interface ChargeStanding {
  /** The kill switch is on. */
  readonly paused: boolean;
  /** Whose charge it is, as hashes; empty when no order of ours says so. */
  readonly customer: readonly string[];
  /** The facts from which it follows whether a recovery check is needed. */
  readonly recovery: RecoveryFacts;
}

/** Takes the caps' lock, and reads with the same statement what does not depend on it. */
export async function lockCapsFor(
  trx: Trx,
  { organisationId, chargeReference }: ChargeKey,
): Promise<ChargeStanding> {
  const turn = organisationLock(organisationId, CAPS_LOCK);
  const { rows } = await sql<
    { paused: boolean; recovery: RecoveryFacts } & (StoredBody | Record<keyof StoredBody, null>)
  >`
    with turn as (${turn.row})
    select ${turn.advisory} as locked,
      ${pausedSql(organisationId)} as paused,
      ${recoveryFacts(organisationId)} as recovery, o.integration_id, o.reference_id, o.body
    from (select 1) as one left join lateral (
      ${newestOrder(organisationId, orderReferenceOf(organisationId, chargeReference))}) as o on true`.execute(
    trx,
  );
  const [row] = rows;
  if (row === undefined || row.body === null) {
    return { paused: row?.paused ?? false, recovery: row?.recovery ?? null, customer: [] };
  }
  const { body } = openBodyOf(dataKeysOf(trx), organisationId, row);
  const customer = customerIdentities({
    customerAccountId: body.customer_account_id ?? null,
    customerEmail: body.customer_email ?? null,
  });
  return { paused: row.paused, recovery: row.recovery, customer };
}

/** What is counted. */
export interface SentScope {
  readonly organisationId: string;
  readonly since: Date;
  /** Only refunds of this customer. */
  readonly identities?: readonly string[] | undefined;
  /** Only refunds of alerts that name this merchant. */
  readonly merchantId?: string | undefined;
}

/** What counts: refunds of ours that left, or may have, whatever came of those that were not refused. */
function isSent(organisationId: string, since: Date): RawBuilder<boolean> {
  return sql<boolean>`movement.organisation_id = ${organisationId} and movement.first_sent_at > ${since}
    and movement.idempotency_key is not null and movement.state not in ('REJECTED', 'NOT_SENT') and movement.kind = 'refund'`;
}

/** What was sent since a moment. */
export async function readSent(db: Db, scope: SentScope): Promise<Sent> {
  const { organisationId, since, identities, merchantId } = scope;
  let query = db
    .selectFrom('movement')
    .select((eb) => [
      'currency',
      eb.fn.countAll<number>().as('count'),
      sql<number>`sum(amount_minor)::bigint`.as('amount_minor'),
    ])
    .where(isSent(organisationId, since))
    .groupBy('currency');
  if (identities !== undefined) {
    query = query.where('id', 'in', (eb) =>
      eb
        .selectFrom('refund_customer')
        .select('movement_id')
        .where('organisation_id', '=', organisationId)
        .where('identity', 'in', [...identities]),
    );
  }
  if (merchantId !== undefined) {
    query = query.where(
      sql<boolean>`exists (select from alert a where a.organisation_id = movement.organisation_id
        and a.id = movement.alert_id and ${namesMerchant(merchantId)})`,
    );
  }
  return sentOf(await query.execute());
}

/** What was sent since the later of two moments, and since the earlier. */
export interface SentTwice {
  readonly late: Sent;
  readonly all: Sent;
}

/** The same for two moments, in one statement. */
export async function readSentTwice(
  db: Db,
  scope: Pick<SentScope, 'organisationId'> & { readonly since: Date; readonly late: Date },
): Promise<SentTwice> {
  const { organisationId, since, late } = scope;
  const { rows } = await sql<CountedRow & { late_count: number; late_minor: number | null }>`
    select currency, count(*) as count, sum(amount_minor)::bigint as amount_minor,
      count(*) filter (where first_sent_at > ${late}) as late_count,
      sum(amount_minor) filter (where first_sent_at > ${late})::bigint as late_minor
    from movement where ${isSent(organisationId, since)} group by currency`.execute(db);
  const lately = rows.flatMap(({ currency, late_count: count, late_minor: minor }) =>
    minor === null ? [] : [{ currency, count, amount_minor: minor }],
  );
  return { late: sentOf(lately), all: sentOf(rows) };
}

interface CountedRow {
  readonly currency: string;
  readonly count: number;
  readonly amount_minor: number;
}

/** Sums by currency, as one. */
export function sentOf(rows: readonly CountedRow[]): Sent {
  return {
    count: rows.reduce((sum, row) => sum + row.count, 0),
    amountMinor: Object.fromEntries(rows.map((row) => [row.currency, row.amount_minor])),
  };
}

/** Records whose refund it is, for the counts to come. */
export async function writeCustomer(
  trx: Trx,
  { organisationId, movementId }: { readonly organisationId: string; readonly movementId: string },
  identities: readonly string[],
): Promise<void> {
  if (identities.length === 0) return;
  await trx
    .insertInto('refund_customer')
    .values(
      identities.map((identity) => ({
        organisation_id: organisationId,
        identity,
        movement_id: movementId,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
