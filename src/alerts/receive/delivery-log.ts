/**
 * Counts what became of deliveries: stored, repeated, and refused by reason.
 *
 * Anybody can send requests to a public address, so a request costs a number in memory here, and a row
 * a minute and verdict in the database, whatever their number. The first ones of the minute
 * are beside the count as examples: lengths, hashes and ids, never a body.
 */
import type { Db } from '../../base/db/database.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import type { Log } from '../../base/kernel/log.ts';
import type { RefusedReason } from './counters.ts';
import { addDeliveryMinutes } from './delivery-minute.store.ts';
import type { DeliveryExample } from './inbox.table.ts';

/** What a delivery came to. */
export type DeliveryVerdict = 'accepted' | 'repeat' | RefusedReason;

/** Examples kept of a minute and verdict, by each process. */
export const EXAMPLES_MAX = 3;

/** How often the counts are written, in milliseconds: health tells of refused deliveries within 10 s. */
export const WRITE_EVERY_MS = 5_000;

/** Minutes and verdicts held while the database is away: an hour of every verdict. */
const HELD_MAX = 900;

const MINUTE_MS = 60_000;

/** Options of {@link createDeliveryLog}. */
export interface DeliveryLogOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly organisationId: string;
  /** Written before each verdict: deliveries of another door are counted apart. @default nothing */
  readonly prefix?: string;
}

/** The log. */
export interface DeliveryLog {
  /** `facts` are kept of the first ones of a minute; an accepted one has its own row. */
  note(verdict: DeliveryVerdict, facts?: DeliveryExample['facts']): void;
  /** Writes what was noted. What cannot be written is kept for the next time. */
  write(): Promise<void>;
}

/** One minute of one verdict. */
interface Noted {
  readonly minuteMs: number;
  readonly verdict: DeliveryVerdict;
  count: number;
  lastMs: number;
  readonly examples: DeliveryExample[];
}

/** Creates the log; its owner calls `write` now and then. */
export function createDeliveryLog(options: DeliveryLogOptions): DeliveryLog {
  const { db, clock, log, organisationId, prefix = '' } = options;
  let held = new Map<string, Noted>();
  return {
    note(verdict, facts): void {
      const nowMs = clock.nowMs();
      const minuteMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
      const key = `${minuteMs} ${verdict}`;
      let noted = held.get(key);
      if (noted === undefined) {
        if (held.size >= HELD_MAX) return;
        noted = { minuteMs, verdict, count: 0, lastMs: nowMs, examples: [] };
        held.set(key, noted);
      }
      noted.count += 1;
      noted.lastMs = nowMs;
      if (facts !== undefined && noted.examples.length < EXAMPLES_MAX) {
        noted.examples.push({ at: new Date(nowMs).toISOString(), facts });
      }
    },
    async write(): Promise<void> {
      if (held.size === 0) return;
      const taken = held;
      held = new Map();
      try {
        const minutes = [...taken.values()].map((noted) => ({
          ...noted,
          verdict: prefix + noted.verdict,
        }));
        await addDeliveryMinutes(db, organisationId, minutes);
      } catch (error) {
        log.warn({ err: error }, 'the log of deliveries could not be written; it is tried again');
        held = joined(taken, held);
      }
    },
  };
}

/** What was not written, and what was noted meanwhile. */
function joined(older: Map<string, Noted>, newer: Map<string, Noted>): Map<string, Noted> {
  for (const [key, { count, lastMs, ...noted }] of newer) {
    const before = older.get(key);
    if (before === undefined) older.set(key, { count, lastMs, ...noted });
    else {
      before.count += count;
      before.lastMs = lastMs;
    }
  }
  return older;
}
