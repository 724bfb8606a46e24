/**
 * What is known under a reference, on any charge: one refund, and one cheque, is counted once (L4), no matter who names it and
 * however it is written.
 */
import { sql } from 'kysely';
import type { Trx } from '../../base/db/database.ts';
import { lockOrganisation } from '../../base/db/organisation-lock.store.ts';
import type { MovementRow } from './movement.store.ts';
import { referenceKey, UNSEEN_CHARACTERS } from './reference.ts';

const REFERENCES_LOCK = 'references';

/** Money that a reference names. */
export type NamedMoney = Pick<
  MovementRow,
  | 'id'
  | 'charge_reference'
  | 'state'
  | 'amount_minor'
  | 'currency'
  | 'idempotency_key'
  | 'observed_from'
> & {
  /** The disputes that it answers. */
  readonly answers: readonly string[];
};

/**
 * The movements under the reference, oldest first; those that failed too. Until the transaction ends no other one asks: two
 * people could name one cheque for two charges at once. Taken after the locks of charge and case.
 */
export async function findNamedMoney(
  trx: Trx,
  organisationId: string,
  reference: string,
): Promise<readonly NamedMoney[]> {
  await lockOrganisation(trx, organisationId, REFERENCES_LOCK);
  const { rows } = await sql<NamedMoney>`
    select m.id, m.charge_reference, m.state, m.amount_minor, m.currency, m.idempotency_key, m.observed_from,
      array(select c.dispute_id from cover c where c.organisation_id = m.organisation_id and c.movement_id = m.id
        order by c.dispute_id) as answers
    from movement m
    where m.organisation_id = ${organisationId} and m.processor_reference is not null
      and lower(translate(normalize(m.processor_reference, NFKC), ${UNSEEN_CHARACTERS}, '') collate "C")
        = ${referenceKey(reference)}
    order by m.created_at, m.id`.execute(trx);
  return rows;
}
