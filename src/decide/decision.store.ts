/**
 * All SQL of decisions.
 */
import type { Kysely, Selectable, Transaction } from 'kysely';
import type { Database } from '../db/database.ts';
import type { DecisionTable } from './decision.table.ts';
import type { Decision } from './decision.ts';
import type { DecisionFacts } from './facts.ts';

/** A decision as stored. */
export type StoredDecision = Selectable<DecisionTable>;

/** A decision to be stored. */
export interface NewDecision {
  readonly organisationId: string;
  readonly alertId: string;
  readonly decision: Decision;
  readonly facts: DecisionFacts;
  readonly now: Date;
}

/** Stores a decision with everything it was taken from. Returns its id. */
export async function writeDecision(
  trx: Transaction<Database>,
  { organisationId, alertId, decision, facts, now }: NewDecision,
): Promise<number> {
  const { id } = await trx
    .insertInto('decision')
    .values({
      organisation_id: organisationId,
      alert_id: alertId,
      action: decision.action,
      amount_minor: decision.amountMinor,
      currency: decision.currency,
      fallback_action: decision.fallback?.answer.action ?? null,
      fallback_at: decision.fallback?.at ?? null,
      decided_by: decision.decidedBy,
      policy_version: decision.policyVersion,
      rule: decision.rule,
      guard: decision.guard,
      sentence: decision.sentence,
      inputs: JSON.stringify({
        facts,
        proposed: decision.proposed,
        trace: decision.trace,
        fallback: decision.fallback,
      }),
      shadow: facts.mode === 'shadow',
      decided_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** One decision, or undefined. */
export async function findDecision(
  db: Kysely<Database>,
  decisionId: number,
): Promise<StoredDecision | undefined> {
  return await db
    .selectFrom('decision')
    .selectAll()
    .where('id', '=', decisionId)
    .executeTakeFirst();
}
