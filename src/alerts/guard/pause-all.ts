/**
 * The kill switch of a whole installation: one row that every organisation asks for, so that one that is added while
 * it is on is stopped as well. Their own switches stay as they are.
 */
import { writeAudit } from '../../base/audit/audit.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { ALL_ORGANISATIONS, seeOrganisations } from '../../base/db/for-organisation.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { notify } from '../../base/notify/notification.store.ts';
import { releaseHeldCases } from '../cases/release-held.store.ts';
import type { PauseRequest, Resumed } from './pause.store.ts';
import { deletePause, insertPause, isPaused, WHILE_PAUSED } from './pause.store.ts';

/** Who switches, for which organisations. */
export interface PauseAllRequest extends Omit<PauseRequest, 'organisationId'> {
  /** Those that are told, and whose cases go on. */
  readonly organisationIds: readonly string[];
}

/** Stops money everywhere. Returns false when it was stopped already; the first reason then stays. */
export async function pauseAll(db: Db, request: PauseAllRequest): Promise<boolean> {
  return await forEach(db, request, async (trx) => {
    const { operator, reason, now } = request;
    const isNew = await insertPause(trx, { ...request, organisationId: ALL_ORGANISATIONS });
    if (!isNew) return false;
    await tellEach(trx, request, {
      what: 'refunds of the whole installation paused',
      kind: 'paused',
      severity: 'error',
      text: `${operator} paused the refunds of the whole installation${reason === '' ? '' : ', and says why in the console'}. ${WHILE_PAUSED}. "forestall resume --installation" lets refunds go again.`,
      now,
    });
    return true;
  });
}

/** Lets money move again where an organisation's own switch is off, and decides anew what was held. */
export async function resumeAll(
  db: Db,
  request: Omit<PauseAllRequest, 'reason'>,
): Promise<Resumed> {
  const { organisationIds, operator, now } = request;
  return await forEach(db, request, async (trx) => {
    if (!(await deletePause(trx, ALL_ORGANISATIONS))) return { resumed: false, released: 0 };
    await tellEach(
      trx,
      { ...request, reason: '' },
      {
        what: 'refunds of the whole installation resumed',
        kind: 'resumed',
        severity: 'warning',
        text: `${operator} let the refunds of the installation go again. Alerts that were held for it go on, but where an organisation's own switch is on.`,
        now,
      },
    );
    let released = 0;
    for (const organisationId of organisationIds) {
      if (await isPaused(trx, organisationId)) continue;
      const actor = `operator:${operator}`;
      released += await releaseHeldCases(trx, { organisationId, reason: 'paused', actor, now });
    }
    return { resumed: true, released };
  });
}

async function forEach<Result>(
  db: Db,
  { organisationIds }: Pick<PauseAllRequest, 'organisationIds'>,
  work: (trx: Trx) => Promise<Result>,
): Promise<Result> {
  const among = { reason: 'installation_stop', organisationIds } as const;
  return await inTransaction(db, async (trx) => {
    // To its end: lines of the audit log are written right before the commit.
    await seeOrganisations(trx, among);
    return await work(trx);
  });
}

interface Word {
  readonly what: string;
  readonly kind: 'paused' | 'resumed';
  readonly severity: 'error' | 'warning';
  readonly text: string;
  readonly now: Date;
}

async function tellEach(
  trx: Trx,
  { organisationIds, operator }: PauseAllRequest,
  { what, kind, severity, text, now: at }: Word,
): Promise<void> {
  for (const organisationId of organisationIds) {
    const actor = `operator:${operator}`;
    const subject = { subject: 'system', subjectId: 'money_pause' } as const;
    await writeAudit(trx, { organisationId, at, ...subject, actor, what });
    const dedupeKey = `${kind}_all:${at.toISOString()}`;
    await notify(trx, { organisationId, dedupeKey, kind, severity, text, at });
  }
}
