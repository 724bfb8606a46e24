/** The daily digest: one message with what the last 24 hours brought and what the next ones ask for. Pure. */
import { formatMoney } from '../../base/kernel/money.ts';
import type { DigestTime } from '../../base/notify/notify-settings.ts';
import type { Shift } from './shift.store.ts';

/** The day for which a digest is due now, `YYYY-MM-DD` in its zone; null: not yet today. */
export function digestDay({ hour, minute, zone }: DigestTime, now: Date): string | null {
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

/** The message. */
export function digestText(shift: Shift): string {
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
