/**
 * The daily digest: one message with what the last 24 hours brought and what the next ones ask for. It is put into the
 * outbox once a day for all workers; the channels carry it like every other message.
 */
import type { Installation } from '../../base/db/database.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { DigestTime } from '../../base/notify/notify-settings.ts';
import type { Shift } from './shift.store.ts';
import { readShift } from './shift.store.ts';

export interface DigestDeps extends Pick<Installation, 'db' | 'clock' | 'organisationId'> {
  readonly at: DigestTime;
}

/** The step returns 1 when a digest was put into the outbox. */
export function createDigest({ db, clock, organisationId, at }: DigestDeps): () => Promise<number> {
  let sent: string | undefined;
  return async () => {
    const now = nowDate(clock);
    const day = digestDay(at, now);
    if (day === null || day === sent) return 0;
    const shift = await readShift(db, { organisationId, now, hours: 24 });
    const isNew = await notify(db, {
      organisationId,
      dedupeKey: `daily_digest:${day}`,
      kind: 'daily_digest',
      severity: 'info',
      text: digestText(shift),
      at: now,
    });
    sent = day;
    return isNew ? 1 : 0;
  };
}

/** The day for which a digest is due now, `YYYY-MM-DD` in its zone; null: not yet today. */
function digestDay({ hour, minute, zone }: DigestTime, now: Date): string | null {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'short',
    hourCycle: 'h23',
  }).formatToParts(now);
  const part = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((each) => each.type === type)?.value ?? '0';
  const minutes = Number(part('hour')) * 60 + Number(part('minute'));
  if (minutes < hour * 60 + minute) return null;
  return `${part('year')}-${part('month')}-${part('day')}`;
}

function digestText(shift: Shift): string {
  const { counts, refunded, open, waiting, due, findings } = shift;
  const count = (...measures: readonly Parameters<typeof counts.get>[0][]): number =>
    measures.reduce((total, measure) => total + (counts.get(measure) ?? 0), 0);
  const money = refunded.map(formatMoney).join(', ');
  const lines = [
    `The last 24 hours: ${count('received')} alerts received, ${count('closed:DECLARED_REFUND')} refunded by us${money === '' ? '' : ` (${money})`}, ${count('closed:RECONCILED_RDR')} refunded by the network, ${count('closed:DECLARED_ACCEPT')} accepted, ${count('missed')} missed.`,
    `Now: ${open} open, ${waiting} wait for a person, ${due.length} of them are acted upon or run out within 24 hours.`,
  ];
  if (findings > 0) lines.push(`${findings} findings are open: see Findings in the console.`);
  return lines.join('\n');
}
