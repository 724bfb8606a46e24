/** The decision in force on a case: what was decided, by whom, for how much. */
import type { RawBuilder, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Db, Trx } from '../../base/db/database.ts';
import type { DecisionAction, DecisionTable, FallbackAction } from '../decide/decision.table.ts';
import type { CaseRow } from './case.store.ts';

/** A decision, reduced to what the steps after it need. */
export interface CaseDecision {
  readonly action: DecisionAction;
  readonly amountMinor: number | null;
  readonly currency: string | null;
  readonly byOperator: boolean;
  /** In milliseconds since 1970. */
  readonly decidedAtMs: number;
  /** The person who took it; undefined: a policy, or its fallback. */
  readonly operator: string | undefined;
  readonly shadow: boolean;
  /** A person accepts although this much went back; null: no such thing was said. */
  readonly despiteMinor: number | null;
  /** Why the alert was held as a person decided: what its page had told them. Null: it was not held, or that was not noted. */
  readonly heldFor: string | null;
  /** Charges that the person was told of as the alert was held: what it may be about, refunded or about to be. */
  readonly toldCharges: readonly string[];
}

/** What follows without a decision, and when. */
export interface PlannedFallback {
  readonly action: FallbackAction | null;
  readonly at: Date | null;
}

/** Prefix of `decided_by` when a person decided. */
const OPERATOR = 'operator:';

/** The columns of {@link CaseDecision}. */
export type DecisionRow = Pick<
  Selectable<DecisionTable>,
  'action' | 'amount_minor' | 'currency' | 'decided_by' | 'shadow' | 'despite_minor'
> & {
  readonly decided_ms: number;
  readonly held_for: string | null;
  readonly told_charges: readonly string[] | null;
};

/** Reads the case's decision, or undefined when it names none. */
export async function readCaseDecision(db: Db, owner: CaseRow): Promise<CaseDecision | undefined> {
  if (owner.decision_id === null) return undefined;
  const { rows } = await decisionOf(owner).execute(db);
  return rows[0] === undefined ? undefined : caseDecisionOf(rows[0]);
}

/** The same as a selection of at most one row. */
export function decisionOf({
  organisation_id: organisationId,
  decision_id: id,
}: Pick<CaseRow, 'organisation_id' | 'decision_id'>): RawBuilder<DecisionRow> {
  return sql<DecisionRow>`
    select action, amount_minor, currency, decided_by, shadow, despite_minor, inputs ->> 'heldFor' as held_for,
      inputs -> 'toldCharges' as told_charges,
      (extract(epoch from decided_at) * 1000)::float8 as decided_ms from decision
    where organisation_id = ${organisationId} and id = ${id}`;
}

/** What an alert says of its payment, by the names under which a decision stores it: all that a match rests on. */
export function toldByAlert({
  organisation_id: organisationId,
  alert_id: alertId,
}: Pick<CaseRow, 'organisation_id' | 'alert_id'>): RawBuilder<unknown> {
  return sql`select jsonb_build_object('amountMinor', amount_minor, 'currency', currency, 'enrolmentType', enrolment_type,
      'cardBin', card_bin, 'cardLast4', card_last4, 'authorisationCode', authorisation_code,
      'acquirerReferenceNumber', acquirer_reference_number, 'transactionReference', integration_transaction_id)
    from alert where organisation_id = ${organisationId} and id = ${alertId}`;
}

/** A row of it. */
export function caseDecisionOf(row: DecisionRow): CaseDecision {
  return {
    action: row.action,
    amountMinor: row.amount_minor,
    currency: row.currency,
    byOperator: row.decided_by.startsWith(OPERATOR),
    decidedAtMs: row.decided_ms,
    operator: operatorOf(row.decided_by),
    shadow: row.shadow,
    despiteMinor: row.despite_minor,
    heldFor: row.held_for,
    toldCharges: row.told_charges ?? [],
  };
}

/** The person who took the decision in force; undefined when a policy or its fallback did. */
export async function readCaseDecider(db: Db, owner: CaseRow): Promise<string | undefined> {
  if (owner.decision_id === null) return undefined;
  const row = await db
    .selectFrom('decision')
    .select('decided_by')
    .where('organisation_id', '=', owner.organisation_id)
    .where('id', '=', owner.decision_id)
    .executeTakeFirst();
  return row === undefined ? undefined : operatorOf(row.decided_by);
}

function operatorOf(decidedBy: string): string | undefined {
  return decidedBy.startsWith(OPERATOR) ? decidedBy.slice(OPERATOR.length) : undefined;
}

/**
 * The fallback that the policy last planned for the alert, whatever a person decided since: it is what
 * the merchant wants when people do not come to an end.
 */
export async function readPolicyFallback(db: Db, owner: CaseRow): Promise<PlannedFallback> {
  const row = await db
    .selectFrom('decision')
    .select(['fallback_action as action', 'fallback_at as at'])
    .where('organisation_id', '=', owner.organisation_id)
    .where('alert_id', '=', owner.alert_id)
    .where('decided_by', 'not like', `${OPERATOR}%`)
    .where('decided_by', '!=', 'fallback')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? { action: null, at: null };
}

/** A decision that a person took. */
export interface OperatorDecisionRow {
  readonly organisationId: string;
  readonly alertId: string;
  readonly action: 'REFUND' | 'ACCEPT_DISPUTE';
  readonly operator: string;
  readonly note: string;
  /** How much is to be refunded; null: what is missing. */
  readonly amountMinor?: number | null;
  readonly currency?: string | null;
  /** Accepted although this much went back. */
  readonly despiteMinor?: number | null;
  readonly heldFor: string | null;
  readonly now: Date;
}

/** Stores a person's decision and returns its id. */
export async function insertOperatorDecision(
  trx: Trx,
  decision: OperatorDecisionRow,
): Promise<number> {
  const { organisationId, alertId, note, heldFor } = decision;
  const alertSaid = toldByAlert({ organisation_id: organisationId, alert_id: alertId });
  const row = await trx
    .insertInto('decision')
    .values({
      organisation_id: organisationId,
      alert_id: alertId,
      action: decision.action,
      amount_minor: decision.amountMinor ?? null,
      currency: decision.currency ?? null,
      despite_minor: decision.despiteMinor ?? null,
      decided_by: `${OPERATOR}${decision.operator}`,
      sentence: `${decision.operator} decided ${decision.action}.`,
      inputs: sql`jsonb_build_object('note', ${note}::text, 'heldFor', ${heldFor}::text, 'told', (${alertSaid}), 'toldCharges',
        (select detail -> 'charges' from audit where organisation_id = ${organisationId} and alert_id = ${alertId}
          and to_state = 'HUMAN' order by id desc limit 1))`,
      decided_at: decision.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}
