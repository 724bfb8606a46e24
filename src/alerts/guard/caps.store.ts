/**
 * What was sent, as the caps count it: refunds of ours whose request left, unless the processor
 * refused them. A refund whose answer is missing counts, because its money may have moved.
 */
import type { Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import type { Database } from '../../base/db/database.ts';
import { findCharge } from '../../orders/charge.store.ts';
import { findOrder } from '../../orders/find-order.ts';
import type { ChargeKey } from '../ledger/ledger.store.ts';
import type { Sent } from './caps.ts';
import { customerIdentities } from './customer-identity.ts';

/**
 * Serialises everything that counts or is counted until the transaction ends: two refunds on two
 * charges must not pass the last free place together. Taken after the charge's lock, never before.
 */
export async function lockCaps(trx: Transaction<Database>, organisationId: string): Promise<void> {
  const name = JSON.stringify(['refund_caps', organisationId]);
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx);
}

/** What is counted. */
export interface SentScope {
  readonly organisationId: string;
  readonly since: Date;
  /** Only refunds of this customer. */
  readonly identities?: readonly string[];
}

/** What was sent since a moment. */
export async function readSent(db: Kysely<Database>, scope: SentScope): Promise<Sent> {
  const { organisationId, since, identities } = scope;
  let query = db
    .selectFrom('movement')
    .select((eb) => [
      'currency',
      eb.fn.countAll<number>().as('count'),
      sql<number>`sum(amount_minor)::bigint`.as('amount_minor'),
    ])
    .where('organisation_id', '=', organisationId)
    .where('first_sent_at', '>', since)
    .where('idempotency_key', 'is not', null)
    .where('state', 'not in', ['REJECTED', 'NOT_SENT'])
    .where('kind', '=', 'refund')
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
  const rows = await query.execute();
  return {
    count: rows.reduce((sum, row) => sum + row.count, 0),
    amountMinor: Object.fromEntries(rows.map((row) => [row.currency, row.amount_minor])),
  };
}

/** Whose charge it is, as hashes; empty when no order of ours says so. */
export async function readCustomer(db: Kysely<Database>, charge: ChargeKey): Promise<string[]> {
  const { organisationId, chargeReference } = charge;
  const known = await findCharge(db, organisationId, chargeReference);
  if (known === undefined || known.orderReference === null) return [];
  const order = await findOrder(db, organisationId, known.orderReference);
  return order === undefined ? [] : customerIdentities(order);
}

/** Records whose refund it is, for the counts to come. */
export async function writeCustomer(
  trx: Transaction<Database>,
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
