/** Writes the match that a person made by naming a charge. */
import type { Transaction } from 'kysely';
import type { Database } from '../db/database.ts';

/** Which charge, by whom. */
export interface OperatorMatch {
  readonly organisationId: string;
  readonly alertId: string;
  readonly chargeReference: string;
  readonly operator: string;
  readonly now: Date;
}

/** Stores the match and returns its id. */
export async function writeOperatorMatch(
  trx: Transaction<Database>,
  match: OperatorMatch,
): Promise<number> {
  const row = await trx
    .insertInto('match')
    .values({
      organisation_id: match.organisationId,
      alert_id: match.alertId,
      outcome: 'single',
      charge_reference: match.chargeReference,
      tier: 'operator',
      evidence: JSON.stringify([]),
      candidates: JSON.stringify([]),
      matched_at: match.now,
      matched_by: `operator:${match.operator}`,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}
