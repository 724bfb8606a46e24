/**
 * The breaker's row: measured by a loop of every worker, and asked again, with a fresh count, in the
 * transaction that would send an automatic refund.
 */
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import { writeAudit } from '../../base/audit/audit.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { notify } from '../../base/notify/notification.store.ts';
import type { Rate } from './breaker.ts';
import { breakerMove, breakerThreshold } from './breaker.ts';
import type { RefundBreakerTable } from './guard.table.ts';
import { BREAKER_COLUMNS } from './guard.table.ts';
import type { BreakerSettings } from './guard-settings.ts';

/** The row as read. */
export type BreakerRow = Selectable<RefundBreakerTable>;

/** Whose breaker, by which settings, when. */
export interface BreakerScope {
  readonly organisationId: string;
  readonly settings: BreakerSettings;
  readonly now: Date;
}

/** The usual rate changes slowly, so its history is counted this often, in milliseconds. */
const MEASURE_MS = 10 * 60_000;

/** The row, or undefined before the first measurement. */
export async function readBreaker(db: Db, organisationId: string): Promise<BreakerRow | undefined> {
  return await db
    .selectFrom('refund_breaker')
    .select(BREAKER_COLUMNS.names)
    .where('organisation_id', '=', organisationId)
    .executeTakeFirst();
}

/**
 * Looks at the rate and opens or closes the breaker. Call it under the caps' lock.
 *
 * @param read the row as it was just read under the lock
 *
 * @returns whether automatic refunds are stopped
 */
export async function updateBreaker(
  trx: Trx,
  scope: BreakerScope,
  read?: BreakerRow,
): Promise<boolean> {
  const row = await measured(trx, scope, read);
  const { settings, now } = scope;
  const count = await countRecent(trx, scope, row.threshold);
  const state = { openedAt: row.opened_at, snoozedUntil: row.snoozed_until };
  const move = breakerMove(settings, state, { count, threshold: row.threshold, now });
  if (move === 'stay') return row.opened_at !== null;
  const opens = move === 'open';
  await trx
    .updateTable('refund_breaker')
    .set({ opened_at: opens ? now : null, opened_count: opens ? count : null })
    .where('organisation_id', '=', scope.organisationId)
    .execute();
  await tell(trx, scope, { opens, threshold: row.threshold ?? 0 });
  return opens;
}

/** A person closes it. Returns false when it was not open. It stays closed for one window. */
export async function closeBreaker(
  trx: Trx,
  { organisationId, settings, now }: BreakerScope,
  operator: string,
): Promise<boolean> {
  const result = await trx
    .updateTable('refund_breaker')
    .set({
      opened_at: null,
      opened_count: null,
      snoozed_until: new Date(now.getTime() + settings.windowMs),
    })
    .where('organisation_id', '=', organisationId)
    .where('opened_at', 'is not', null)
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) return false;
  await writeAudit(trx, {
    organisationId,
    at: now,
    subject: 'system',
    subjectId: 'refund_breaker',
    actor: `operator:${operator}`,
    what: 'breaker closed by a person',
  });
  return true;
}

/** The row with a threshold that is not too old. */
async function measured(
  trx: Trx,
  scope: BreakerScope,
  read: BreakerRow | undefined,
): Promise<BreakerRow> {
  const { organisationId, settings, now } = scope;
  const known = read ?? (await readBreaker(trx, organisationId));
  if (known !== undefined && now.getTime() - known.measured_at.getTime() < MEASURE_MS) return known;
  const threshold = breakerThreshold(settings, await readRate(trx, scope));
  return await trx
    .insertInto('refund_breaker')
    .values({ organisation_id: organisationId, threshold, measured_at: now })
    .onConflict((conflict) =>
      conflict.column('organisation_id').doUpdateSet({ threshold, measured_at: now }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

async function readRate(trx: Trx, { organisationId, settings, now }: BreakerScope): Promise<Rate> {
  const windowStart = new Date(now.getTime() - settings.windowMs);
  const historyStart = new Date(windowStart.getTime() - settings.usualOverMs);
  const earlier = await trx
    .selectFrom('alert_case')
    .select(sql<number>`count(*)`.as('count'))
    .where('organisation_id', '=', organisationId)
    .where('opened_at', '>', historyStart)
    .where('opened_at', '<=', windowStart)
    .executeTakeFirstOrThrow();
  const oldest = await trx
    .selectFrom('alert_case')
    .select('opened_at')
    .where('organisation_id', '=', organisationId)
    .orderBy('opened_at')
    .limit(1)
    .executeTakeFirst();
  const oldestMs = oldest?.opened_at.getTime() ?? now.getTime();
  return { earlier: earlier.count, historyMs: windowStart.getTime() - oldestMs };
}

/** Alerts in the window, counted no further than needed. */
async function countRecent(
  trx: Trx,
  { organisationId, settings, now }: BreakerScope,
  threshold: number | null,
): Promise<number> {
  if (threshold === null) return 0;
  const rows = await trx
    .selectFrom('alert_case')
    .select('alert_id')
    .where('organisation_id', '=', organisationId)
    .where('opened_at', '>', new Date(now.getTime() - settings.windowMs))
    .where('opened_at', '<=', now)
    .limit(threshold + 1)
    .execute();
  return rows.length;
}

async function tell(
  trx: Trx,
  { organisationId, settings, now }: BreakerScope,
  { opens, threshold }: { readonly opens: boolean; readonly threshold: number },
): Promise<void> {
  const minutes = Math.round(settings.windowMs / 60_000);
  await writeAudit(trx, {
    organisationId,
    at: now,
    subject: 'system',
    subjectId: 'refund_breaker',
    what: opens ? 'breaker opened: automatic refunds stop' : 'breaker closed: the rate is usual',
    detail: { threshold, window_minutes: minutes },
  });
  await notify(trx, {
    organisationId,
    dedupeKey: `breaker:${opens ? 'open' : 'closed'}:${now.toISOString()}`,
    kind: opens ? 'breaker_open' : 'breaker_closed',
    severity: opens ? 'error' : 'warning',
    text: opens
      ? `More than ${threshold} alerts came in within ${minutes} minutes, far above the usual rate. Automatic refunds are stopped and these alerts go to people. Look at what they have in common; "forestall resume --breaker" lets refunds go again.`
      : 'Alerts come in at the usual rate again, so automatic refunds continue. What was held meanwhile stays with people.',
    at: now,
  });
}
