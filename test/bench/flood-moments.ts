/** When each step of an alert of the flood bench was done. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Sent } from './flood-sender.ts';

/** The steps, in their order; `answered` is what the sender sees. */
export const STEPS = ['stored', 'answered', 'applied', 'matched', 'decided'] as const;
type Step = (typeof STEPS)[number];

/** How often it is asked whether all are decided, in milliseconds, and how many times. */
const ASK_EVERY_MS = 500;
const ASKS_MAX = 600;

/** An alert, with the milliseconds from its sending to each step. */
export interface AlertMoments extends Readonly<Record<Step, number>> {
  readonly id: string;
  readonly sentMs: number;
}

type StoredMoments = { readonly id: string } & Record<Exclude<Step, 'answered'>, number | null>;

const msOf = (moment: string): string => `(extract(epoch from ${moment}) * 1000)::float8`;

/** Waits for the decisions. */
export async function momentsOf(pool: pg.Pool, sent: readonly Sent[]): Promise<AlertMoments[]> {
  const byId = new Map(sent.map((each) => [each.id, each]));
  const ids = [...byId.keys()];
  for (let asks = 0; asks < ASKS_MAX; asks++) {
    const { rows } = await pool.query<{ left: number }>(
      'select count(*)::int as left from unnest($1::text[]) as a (id) where not exists (select from decision where alert_id = a.id)',
      [ids],
    );
    if (rows[0]?.left === 0) break;
    await sleep(ASK_EVERY_MS);
  }
  const { rows } = await pool.query<StoredMoments>(
    `select a.id, ${msOf('e.received_at')} as stored, ${msOf('c.opened_at')} as applied,
       ${msOf('(select min(matched_at) from match where alert_id = a.id)')} as matched,
       ${msOf('(select min(decided_at) from decision where alert_id = a.id)')} as decided
     from unnest($1::text[]) as a (id)
     join inbox_event e on e.event_id = 'evt_' || a.id left join alert_case c on c.alert_id = a.id`,
    [ids],
  );
  const decided = rows.filter((row) => row.decided !== null);
  if (decided.length < ids.length) {
    const few = JSON.stringify(rows.filter((row) => row.decided === null).slice(0, 5));
    throw new Error(`${decided.length} of ${ids.length} alerts were decided; not: ${few}`);
  }
  return rows.map((row) => {
    const { sentMs = Number.NaN, answeredMs = Number.NaN } = byId.get(row.id) ?? {};
    const after = (moment: number | null): number => (moment ?? Number.NaN) - sentMs;
    return {
      id: row.id,
      sentMs,
      stored: after(row.stored),
      answered: after(answeredMs),
      applied: after(row.applied),
      matched: after(row.matched),
      decided: after(row.decided),
    };
  });
}

/** The 50th and the 99th percentile of each step, in its order. */
export function percentilesOf(alerts: readonly AlertMoments[]): (readonly [number, number])[] {
  return STEPS.map((step) => {
    const times = alerts.map((alert) => alert[step]).sort((a, b) => a - b);
    const at = (share: number): number =>
      Math.round(times[Math.floor(times.length * share)] ?? Number.NaN);
    return [at(0.5), at(0.99)];
  });
}
