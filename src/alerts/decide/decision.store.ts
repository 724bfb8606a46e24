/** All SQL of decisions, and the texts of the policies that took them. */
import type { Insertable, RawBuilder, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Db, Trx } from '../../base/db/database.ts';
import type { DecisionTable } from './decision.table.ts';
import type { Decision, SecondDecision } from './decision.ts';
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
  readonly beside?: SecondDecision | undefined;
  /** Whose policy decided, where several layers may have one. */
  readonly layer?: string | undefined;
  readonly now: Date;
}

/** Stores a decision with everything it was taken from: a part of the statement that moves the case. */
export function insertingDecision(
  db: Db,
  { organisationId, alertId, decision, facts, beside, layer, now }: NewDecision,
): RawBuilder<unknown> {
  const insert = db
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
        layer,
      }),
      shadow: facts.mode === 'shadow',
      decided_at: now,
      side_actions: JSON.stringify(decision.sideActions),
      experiment: decision.trial?.experiment ?? null,
      arm: decision.trial?.arm ?? null,
      propensity: decision.trial?.propensity ?? null,
      ...secondColumns(beside),
    })
    .returning('id');
  return sql`${insert}`;
}

function secondColumns(beside: SecondDecision | undefined): Partial<Insertable<DecisionTable>> {
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
  db: Db,
  organisationId: string,
  decisionId: number,
): Promise<StoredDecision | undefined> {
  return await db
    .selectFrom('decision')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('id', '=', decisionId)
    .executeTakeFirst();
}

/** Keeps the text of a policy with the files it read, once per version. */
export async function storePolicyVersion(
  trx: Trx,
  organisationId: string,
  { policy, now }: { readonly policy: Policy; readonly now: Date },
): Promise<void> {
  await insertingVersions(organisationId, { policies: [policy], now }).execute(trx);
}

/** The same for those of a decision, as a part of its statement. */
export function keepingPolicies(
  organisationId: string,
  use: { readonly policies: readonly Policy[]; readonly now: Date },
): Record<string, RawBuilder<unknown>> {
  return use.policies.length === 0 ? {} : { versions: insertingVersions(organisationId, use) };
}

function insertingVersions(
  organisationId: string,
  { policies, now }: { readonly policies: readonly Policy[]; readonly now: Date },
): RawBuilder<unknown> {
  const rows = policies.map((policy) => {
    const { version, source, name, author = null, kind = 'yaml', files = {} } = policy;
    const texts = sql.join([organisationId, version, source, now, name, author, kind]);
    return sql`(${texts}, ${JSON.stringify(files)}::jsonb)`;
  });
  return sql`insert into policy_version
      (organisation_id, version, source, first_used_at, name, author, kind, files)
    values ${sql.join(rows)} on conflict (organisation_id, version) do nothing`;
}
