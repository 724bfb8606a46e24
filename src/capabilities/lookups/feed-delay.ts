/** How fast orders are known to the service: a service level, counted as orders become known (migration 0018). */
import { sql } from 'kysely';
import type { Db } from '../../base/db/database.ts';

/** Upper bounds in seconds; what took longer than the last has none. */
export const FEED_DELAY_BOUNDS_SECONDS = [10, 60, 300, 3_600, 86_400] as const;

const FEED_LEVEL_SECONDS = 60;

/** Orders by the time from their intake until the service knew them. */
export interface FeedDelay {
  /** Orders that the service knows. */
  readonly known: number;
  /** Known within each bound, those within smaller ones included. */
  readonly within: readonly { readonly seconds: number; readonly orders: number }[];
  /** Of those known, within {@link FEED_LEVEL_SECONDS}, in per cent, rounded down; null without any. */
  readonly levelPercent: number | null;
  /** Handed in and not known yet. */
  readonly waiting: number;
}

/** Counts orders taken in since a day. */
export async function readFeedDelay(
  db: Db,
  organisationId: string,
  from: Date,
): Promise<FeedDelay> {
  const [counts, waiting] = await Promise.all([
    sql<{ bound: string; count: number }>`
      select substr(measure, 13) as bound, sum(count)::bigint as count from (
        select measure, count from roll_up where organisation_id = ${organisationId} and grain = 'day'
          and period >= utc_day(${from}::timestamptz) and measure like 'order_known:%'
        union all
        select measure, count from roll_up_change where organisation_id = ${organisationId}
          and day >= utc_day(${from}::timestamptz) and measure like 'order_known:%'
      ) as counted group by 1`.execute(db),
    sql<{ count: number }>`select count(*) as count from order_record
      where organisation_id = ${organisationId} and state = 'WAITING'`.execute(db),
  ]);
  const known = counts.rows.reduce((sum, { count }) => sum + count, 0);
  const within = FEED_DELAY_BOUNDS_SECONDS.map((seconds) => ({
    seconds,
    orders: counts.rows
      .filter(({ bound }) => Number(bound) <= seconds)
      .reduce((sum, { count }) => sum + count, 0),
  }));
  const level = within.find(({ seconds }) => seconds === FEED_LEVEL_SECONDS)?.orders ?? 0;
  return {
    known,
    within,
    levelPercent: known === 0 ? null : Math.floor((level * 1_000) / known) / 10,
    waiting: waiting.rows[0]?.count ?? 0,
  };
}

/** The service level in one sentence. It begins when an order is handed in: one handed in late is no delay of the feed. */
export function feedDelayText({ known, levelPercent, waiting }: FeedDelay): string {
  const now = waiting === 0 ? '' : ` ${waiting} wait to be sent.`;
  return levelPercent === null
    ? `No order became known to the service in this time.${now}`
    : `Known to the service within ${FEED_LEVEL_SECONDS} s of being handed in: ${levelPercent.toFixed(1)} % of ${known} orders.${now}`;
}
