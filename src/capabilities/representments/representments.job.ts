/**
 * Alarms before evidence is due, once each, and the outcome of what was sent. `dispute_due_by` is
 * obeyed as the service tells it: windows differ by scheme, region and processor, so it is never
 * computed. A new date starts its alarms again.
 */
import type { Installation } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { utcWords } from '../../base/kernel/instant.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { Severity } from '../../base/notify/notification.table.ts';
import type { DuePack } from './representment-pack.store.ts';
import { duePacks, noteOutcomes } from './representment-pack.store.ts';

export type RepresentmentDeps = Pick<Installation, 'db' | 'clock' | 'organisationId'>;

const HOUR_MS = 3_600_000;

interface Alarm {
  readonly name: string;
  readonly leftMs: number;
  readonly severity: Severity;
}

/** By how much time is left at most; the nearest one counts, and those before it are no news any more. */
const ALARMS: readonly Alarm[] = [
  { name: 'over', leftMs: 0, severity: 'error' },
  { name: '24h', leftMs: 24 * HOUR_MS, severity: 'error' },
  { name: '3d', leftMs: 72 * HOUR_MS, severity: 'warning' },
  { name: '7d', leftMs: 168 * HOUR_MS, severity: 'info' },
];

/** The furthest alarm, and how long a date that has passed is reported, in milliseconds. */
const AHEAD_MS = 168 * HOUR_MS;
const BEHIND_MS = 168 * HOUR_MS;

/** Creates the round. Returns how many people were notified and outcomes noted. */
export function createRepresentments({ db, clock, organisationId }: RepresentmentDeps): {
  runOnce(): Promise<number>;
} {
  return {
    async runOnce(): Promise<number> {
      const now = nowDate(clock);
      return await inTransaction(db, async (trx) => {
        let done = await noteOutcomes(trx, organisationId, now);
        const due = await duePacks(trx, organisationId, {
          after: new Date(now.getTime() - BEHIND_MS),
          before: new Date(now.getTime() + AHEAD_MS),
        });
        for (const each of due) {
          const alarm = alarmOf(each, now);
          if (
            alarm !== undefined &&
            (await notify(trx, messageOf(each, alarm, { organisationId, now })))
          )
            done += 1;
        }
        return done;
      });
    },
  };
}

function alarmOf({ dueBy }: DuePack, now: Date): Alarm | undefined {
  const leftMs = dueBy.getTime() - now.getTime();
  return ALARMS.find((alarm) => leftMs <= alarm.leftMs);
}

function messageOf(
  { id, dueBy }: DuePack,
  alarm: Alarm,
  { organisationId, now }: { readonly organisationId: string; readonly now: Date },
): Parameters<typeof notify>[1] {
  const text =
    alarm.name === 'over'
      ? `The evidence for dispute ${id} was due on ${utcWords(dueBy)}, and nothing is noted as sent. Ask your processor whether it still takes it; note what was sent on the page of the representment.`
      : `The evidence for dispute ${id} is due by ${utcWords(dueBy)}, and nothing is noted as sent. Its pack stands on the page Representments: hand it in through your processor, then note it there.`;
  return {
    organisationId,
    dedupeKey: `evidence_due:${id}:${dueBy.toISOString()}:${alarm.name}`,
    kind: 'evidence_due',
    severity: alarm.severity,
    text,
    at: now,
  };
}
