/** Puts the daily digest into the outbox, once a day for all workers; the channels carry it as any message. */
import type { Installation } from '../../base/db/installation.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { DigestTime } from '../../base/notify/notify-settings.ts';
import { digestDay, digestText } from './digest.ts';
import { readShift } from './shift.store.ts';

/** What it works with. */
export interface DigestDeps extends Pick<Installation, 'db' | 'clock' | 'organisationId'> {
  readonly at: DigestTime;
}

/** Makes the step; it returns 1 when a digest was put into the outbox. */
export function createDigest({ db, clock, organisationId, at }: DigestDeps): () => Promise<number> {
  let told: string | undefined;
  return async () => {
    const now = nowDate(clock);
    const day = digestDay(at, now);
    if (day === null || day === told) return 0;
    const shift = await readShift(db, { organisationId, now, hours: 24 });
    const isNew = await notify(db, {
      organisationId,
      dedupeKey: `daily_digest:${day}`,
      kind: 'daily_digest',
      severity: 'info',
      text: digestText(shift),
      at: now,
    });
    told = day;
    return isNew ? 1 : 0;
  };
}
