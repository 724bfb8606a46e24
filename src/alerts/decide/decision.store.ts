/**
 * All SQL of decisions, and the texts of the policies that took them.
 */
import type { Insertable, Kysely, Selectable, Transaction } from 'kysely';
import type { Database } from '../../base/db/database.ts';
import type { DecisionTable } from './decision.table.ts';
import type { BesideDecision, Decision } from './decision.ts';
import type { DecisionFacts } from './facts.ts';
import type { Policy } from './policy.ts';

/** A decision as stored. */
export type StoredDecision = Selectable<DecisionTable>;

/** A decision to be stored. */
export interface NewDecision {
  readonly organisationId: string;
  readonly alertId: string;
  readonly decision: Decision;
  readonly facts: DecisionFacts;
  readonly beside?: BesideDecision | undefined;
  readonly now: Date;
}

/** Stores a decision with everything it was taken from. Returns its id. */
export async function writeDecision(
  trx: Transaction<Database>,
  { organisationId, alertId, decision, facts, beside, now }: NewDecision,
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
      side_actions: JSON.stringify(decision.sideActions),
      ...besideColumns(beside),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

function besideColumns(beside: BesideDecision | undefined): Partial<Insertable<DecisionTable>> {
  if (beside === undefined) return {};
  const { policy, decision } = beside;
  return {
    beside_version: policy.version,
    beside_action: decision.action,
    beside_amount_minor: decision.amountMinor,
    beside_currency: decision.currency,
    beside_rule: decision.rule,
    beside_guard: decision.guard,
    beside_fallback_action: decision.fallback?.answer.action ?? null,
    beside_fallback_at: decision.fallback?.at ?? null,
    beside_sentence: decision.sentence,
  };
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

/** Keeps the text of a policy with the files it read, once per version. */
export async function keepPolicyVersion(
  trx: Transaction<Database>,
  organisationId: string,
  use: { readonly policy: Policy; readonly now: Date },
): Promise<void> {
  const { policy, now } = use;
  await trx
    .insertInto('policy_version')
    .values({
      organisation_id: organisationId,
      version: policy.version,
      source: policy.source,
      first_used_at: now,
      name: policy.name,
      author: policy.author ?? null,
      kind: policy.kind ?? 'yaml',
      files: JSON.stringify(policy.files ?? {}),
    })
    .onConflict((conflict) => conflict.columns(['organisation_id', 'version']).doNothing())
    .execute();
}
