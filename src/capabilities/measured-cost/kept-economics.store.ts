/** The comparison as the night keeps it for pages: with counts in place of the alerts, and only for the cost model it was made with. */
import { createHash } from 'node:crypto';
import type { CostModel } from '../../alerts/costs/cost-model.ts';
import type { Db } from '../../base/db/database.ts';
import type { Segment } from './economics.ts';
import type { EconomicsReport } from './read-economics.ts';
import { readEconomics } from './read-economics.ts';

type Ids = 'refunded' | 'accepted' | 'reviewed' | 'unanswered';

/** A segment with the numbers of its alerts, not their ids: those of a large merchant are megabytes. */
export type KeptSegment = Omit<Segment, Ids> & Readonly<Record<Ids, number>>;

export interface KeptEconomics {
  readonly currency: string;
  readonly from: Date;
  /** When it was counted. */
  readonly to: Date;
  readonly whole: KeptSegment | null;
  readonly segments: readonly KeptSegment[];
  readonly leftOut: number;
}

/** What is counted. */
export interface KeptScope {
  readonly organisationId: string;
  readonly model: CostModel;
  readonly now: Date;
}

export function keptOf({
  currency,
  from,
  to,
  whole,
  segments,
  leftOut,
}: EconomicsReport): KeptEconomics {
  return {
    ...{ currency, from, to, leftOut: leftOut.length },
    whole: whole && counted(whole),
    segments: segments.map(counted),
  };
}

function counted(segment: Segment): KeptSegment {
  return {
    ...segment,
    refunded: segment.refunded.length,
    accepted: segment.accepted.length,
    reviewed: segment.reviewed.length,
    unanswered: segment.unanswered.length,
  };
}

/** Counts, and keeps it. Returns the complaints counted. */
export async function storeEconomics(
  db: Db,
  { organisationId, model, now }: KeptScope,
): Promise<number> {
  const kept = keptOf(await readEconomics(db, model, { organisationId, now }));
  const columns = { counted_at: now, model: digestOf(model), report: JSON.stringify(kept) };
  await db
    .insertInto('measured_cost')
    .values({ organisation_id: organisationId, ...columns })
    .onConflict((conflict) => conflict.column('organisation_id').doUpdateSet(columns))
    .execute();
  return kept.whole?.units ?? 0;
}

/** Two nights: one may have failed. */
const KEPT_HOURS_MAX = 48;

/** What was kept; undefined: nothing, for another cost model, or too long ago. */
export async function findKept(
  db: Db,
  { organisationId, model, now }: KeptScope,
): Promise<KeptEconomics | undefined> {
  const row = await db
    .selectFrom('measured_cost')
    .select('report')
    .where('organisation_id', '=', organisationId)
    .where('model', '=', digestOf(model))
    .where('counted_at', '>', new Date(now.getTime() - KEPT_HOURS_MAX * 3_600_000))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { from, to, ...report } = row.report;
  return { ...report, from: new Date(from), to: new Date(to) };
}

function digestOf({ merchants, ...model }: CostModel): string {
  const whole = JSON.stringify([model, [...merchants]]);
  return createHash('sha256').update(whole).digest('hex').slice(0, 16);
}
