/** Read-only questions about past decisions, for replaying and explaining them. */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import { z } from 'zod';
import type { DecisionTable } from '../alerts/decide/decision.table.ts';
import type { DecisionFacts } from '../alerts/decide/facts.ts';
import type { Db } from '../base/db/database.ts';
import type { PastDecision } from './past-decision.ts';

/** More than any period holds: where nothing bounds how many are replayed. */
const ALL = Number.MAX_SAFE_INTEGER;

/** Which decisions are replayed. */
export interface PastPeriod {
  readonly organisationId: string;
  /** Decided at or after. */
  readonly from?: Date | undefined;
  /** Decided before. */
  readonly to?: Date | undefined;
}

type PastRow = Pick<
  Selectable<DecisionTable>,
  | 'alert_id'
  | 'decided_at'
  | 'action'
  | 'amount_minor'
  | 'fallback_action'
  | 'fallback_at'
  | 'rule'
  | 'guard'
> & { readonly facts: unknown };

/**
 * The last decision of each alert that a policy or a guard took in the period, by id. People's
 * decisions and fallbacks are left out: the policy was not asked then.
 */
export async function choosePastDecisions(
  db: Db,
  { organisationId, from, to }: PastPeriod,
  limit = ALL,
): Promise<readonly number[]> {
  // Which ones first, narrow as they are, and then their facts: no page sorts what is left.
  const { rows: chosen } = await sql<{ id: number }>`
    select distinct on (alert_id) id from decision
    where organisation_id = ${organisationId} and decided_by in ('policy', 'guard')
      and decided_at >= ${from ?? '-infinity'} and decided_at < ${to ?? 'infinity'}
    order by alert_id, id desc limit ${limit}`.execute(db);
  return chosen.map(({ id }) => id);
}

/** Decisions by id, `size` at a time. */
export async function* readDecisionPages(
  db: Db,
  { organisationId, ids }: { readonly organisationId: string; readonly ids: readonly number[] },
  size: number,
): AsyncGenerator<readonly PastDecision[]> {
  for (let place = 0; place < ids.length; place += size) {
    const rows = await db
      .selectFrom('decision')
      .select(['alert_id', 'decided_at', 'action', 'amount_minor', 'rule', 'guard'])
      .select(['fallback_action', 'fallback_at'])
      .select(sql<unknown>`inputs->'facts'`.as('facts'))
      .where('organisation_id', '=', organisationId)
      .where('id', 'in', ids.slice(place, place + size))
      .orderBy('alert_id')
      .execute();
    yield rows.flatMap(pastOf);
  }
}

function pastOf(row: PastRow): PastDecision[] {
  const facts = storedFacts.safeParse(row).data?.facts;
  if (facts === undefined) return [];
  const isReview = row.action === 'REVIEW';
  return [
    {
      alertId: row.alert_id,
      decidedAt: row.decided_at.toISOString(),
      facts,
      answer: {
        action: row.action,
        amountMinor: row.amount_minor,
        fallback: isReview ? row.fallback_action : null,
        fallbackAt: isReview ? (row.fallback_at?.toISOString() ?? null) : null,
        rule: row.rule,
        guard: row.guard,
      },
    },
  ];
}

/** What every version has stored; later parts are optional in {@link DecisionFacts} itself. */
const factsShape = z.looseObject({
  now: z.string(),
  deadlineAt: z.string(),
  alert: z.looseObject({ id: z.string() }),
  match: z.looseObject({ outcome: z.string() }),
  charge: z.looseObject({ kind: z.string() }),
});

const storedFacts = z.looseObject({
  facts: z.custom<DecisionFacts>((value) => factsShape.safeParse(value).success),
});

/** The facts that were stored with a decision; undefined for one that was not taken from facts. */
export function factsOf(inputs: unknown): DecisionFacts | undefined {
  return storedFacts.safeParse(inputs).data?.facts;
}

/** Every decision about an alert, newest first. */
export async function readDecisionsOf(
  db: Db,
  organisationId: string,
  alertId: string,
): Promise<readonly Selectable<DecisionTable>[]> {
  return await db
    .selectFrom('decision')
    .selectAll()
    .where('organisation_id', '=', organisationId)
    .where('alert_id', '=', alertId)
    .orderBy('id', 'desc')
    .execute();
}

const layerSchema = z.looseObject({ layer: z.string() });

/** Whose policy took a stored decision; null: no layer is told. */
export function layerOf(inputs: unknown): string | null {
  return layerSchema.safeParse(inputs).data?.layer ?? null;
}
