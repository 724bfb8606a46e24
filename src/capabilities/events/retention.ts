/** Tells people of events that are about to go, or go this night, although an endpoint has not taken them. */
import type { Db } from '../../base/db/database.ts';
import { counted } from '../../base/kernel/counted.ts';
import { notify } from '../../base/notify/notification.store.ts';
import { untakenBefore } from './delivery.store.ts';
import { EVENT_DAYS } from './events.table.ts';

/** Days before it that people are told. */
const TOLD_DAYS_BEFORE = 7;

export async function tellOfUntaken(
  db: Db,
  { organisationId, now }: { readonly organisationId: string; readonly now: Date },
): Promise<{ readonly lost: number; readonly soon: number }> {
  const daysAgo = (days: number): Date => new Date(now.getTime() - days * 86_400_000);
  const lost = await untakenBefore(db, { organisationId, before: daysAgo(EVENT_DAYS) });
  const soon = await untakenBefore(db, {
    organisationId,
    before: daysAgo(EVENT_DAYS - TOLD_DAYS_BEFORE),
  });
  const day = now.toISOString().slice(0, 'YYYY-MM-DD'.length);
  for (const { id, name, events } of lost)
    await notify(db, {
      organisationId,
      dedupeKey: `event_untaken:${id}:${day}`,
      kind: 'event_untaken',
      severity: 'error',
      text: `${counted(events, 'event')} for the endpoint “${name}” were deleted after ${EVENT_DAYS} days; it never took them. Compare its books with the console, and mend it or remove it on the page Endpoints.`,
      at: now,
    });
  const week = Math.floor(now.getTime() / (7 * 86_400_000));
  for (const { id, name, events } of soon)
    await notify(db, {
      organisationId,
      dedupeKey: `event_untaken_soon:${id}:${week}`,
      kind: 'event_untaken_soon',
      severity: 'warning',
      text: `The endpoint “${name}” has not taken ${counted(events, 'event')}, which will be deleted within ${TOLD_DAYS_BEFORE} days. Mend it and switch it on, or remove it, on the page Endpoints.`,
      at: now,
    });
  return { lost: lost.length, soon: soon.length };
}
