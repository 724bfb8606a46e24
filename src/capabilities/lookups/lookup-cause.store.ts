/** Causes of lookups: stored, counted and listed. */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';
import type { CauseName } from './cause.ts';
import { causeOf } from './cause.ts';
import type { LookupCost } from './lookup-cause.table.ts';
import type { LookupToJudge } from './lookup-facts.store.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** So long after a lookup it is looked again what became of it, in milliseconds. */
const FOLLOWED_MS = 60 * DAY_MS;

/** Stores what was judged; a lookup that does not fail any more loses its cause. */
export async function storeCauses(
  db: Db,
  {
    organisationId,
    judged,
    now,
  }: {
    readonly organisationId: string;
    readonly judged: readonly LookupToJudge[];
    readonly now: Date;
  },
): Promise<void> {
  const healed = judged.filter(({ isFailing }) => !isFailing).map(({ id }) => id);
  if (healed.length > 0) {
    await db
      .deleteFrom('lookup_cause')
      .where('organisation_id', '=', organisationId)
      .where('lookup_id', 'in', healed)
      .execute();
  }
  const rows = judged
    .filter(({ isFailing }) => isFailing)
    .map((lookup) => ({
      organisation_id: organisationId,
      lookup_id: lookup.id,
      created_at: lookup.createdAt,
      type: lookup.facts.type,
      ...causeOf(lookup.facts),
      charge_reference: lookup.facts.chargeReference,
      order_reference: lookup.orderReference,
      cost: lookup.cost,
      currency: lookup.currency,
      amount_minor: lookup.amountMinor,
      judged_at: now,
      changed_at: lookup.changedText,
      judge_again_at: againAt(lookup.createdAt, now),
    }));
  if (rows.length === 0) return;
  await db
    .insertInto('lookup_cause')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['organisation_id', 'lookup_id']).doUpdateSet((eb) => ({
        cause: eb.ref('excluded.cause'),
        detail: eb.ref('excluded.detail'),
        charge_reference: eb.ref('excluded.charge_reference'),
        order_reference: eb.ref('excluded.order_reference'),
        cost: eb.ref('excluded.cost'),
        currency: eb.ref('excluded.currency'),
        amount_minor: eb.ref('excluded.amount_minor'),
        judged_at: eb.ref('excluded.judged_at'),
        changed_at: eb.ref('excluded.changed_at'),
        judge_again_at: eb.ref('excluded.judge_again_at'),
      })),
    )
    .execute();
}

/** Orders arrive late and disputes later: hourly for a day, then daily while something may still come. */
function againAt(createdAt: Date, now: Date): Date | null {
  const ageMs = now.getTime() - createdAt.getTime();
  if (ageMs > FOLLOWED_MS) return null;
  return new Date(now.getTime() + (ageMs < DAY_MS ? HOUR_MS : DAY_MS));
}

/** Lookups of one cause, and of one outcome and currency. */
export interface CauseCount {
  readonly cause: CauseName;
  readonly type: string;
  readonly cost: LookupCost;
  readonly currency: string | null;
  readonly count: number;
  readonly amountMinor: number | null;
}

export async function countCauses(
  db: Db,
  organisationId: string,
  from: Date,
): Promise<readonly CauseCount[]> {
  const { rows } = await sql<CauseCount>`
    select cause, type, cost, currency, count(*)::int as count, sum(amount_minor)::bigint as "amountMinor"
    from lookup_cause where organisation_id = ${organisationId} and created_at >= ${from}
    group by 1, 2, 3, 4 order by 1, 2, 3, 4`.execute(db);
  return rows;
}

export interface JudgedLookup {
  readonly lookupId: string;
  readonly cause: CauseName;
  readonly detail: string;
  readonly cost: LookupCost;
  readonly chargeReference: string | null;
  readonly orderReference: string | null;
}

/** Causes of some lookups, by id. */
export async function readCauses(
  db: Db,
  organisationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, JudgedLookup>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('lookup_cause')
    .select([
      'lookup_id as lookupId',
      'cause',
      'detail',
      'cost',
      'charge_reference as chargeReference',
      'order_reference as orderReference',
    ])
    .where('organisation_id', '=', organisationId)
    .where('lookup_id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.lookupId, row]));
}
