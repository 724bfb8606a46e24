/**
 * The breaker for refusals that are our own fault (bad credentials, missing right, malformed request):
 * several in a row stop all sending and page a person. After a while one request may try again; the
 * first that the processor takes closes it.
 */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { z } from 'zod';
import { writeAudit } from '../../base/audit/audit.store.ts';
import { writeLater } from '../../base/db/commit-writes.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { readNamedValue, writeNamedValue } from '../../base/jobs/named-value.store.ts';
import { notify } from '../../base/notify/notification.store.ts';
import { releaseHeldCases } from '../cases/release-held.store.ts';
import type { Settlement } from '../ledger/settle-movement.ts';
import type { Resumed } from './pause.store.ts';

/** Name of its fact. */
export const PROCESSOR_BREAKER = 'processor_refuses_us';

/** So many refusals in a row open it. */
const REFUSALS_MAX = 3;

/** While it is open, one request may try again this often, in milliseconds. */
const PROBE_MS = 15 * 60_000;

const breakerSchema = z.object({
  inRow: z.number(),
  openedAt: z.iso.datetime().nullable(),
  nextProbeAt: z.iso.datetime().nullable(),
  code: z.string(),
});

/** Its state; undefined: nothing was refused since the last request that was taken. */
export type ProcessorBreaker = z.infer<typeof breakerSchema>;

/** Reads it. */
export async function readProcessorBreaker(
  db: Db,
  organisationId: string,
): Promise<ProcessorBreaker | undefined> {
  return processorBreakerOf(await readNamedValue(db, organisationId, PROCESSOR_BREAKER));
}

/** The fact's value, read. */
export function processorBreakerOf(value: unknown): ProcessorBreaker | undefined {
  return breakerSchema.safeParse(value).data;
}

/** Whether a request may be sent: always while it is closed, one at a time while it is open. */
export function mayProbe(breaker: ProcessorBreaker | undefined, now: Date): boolean {
  if (breaker === undefined || breaker.openedAt === null) return true;
  return breaker.nextProbeAt === null || Date.parse(breaker.nextProbeAt) <= now.getTime();
}

/** One is sent: while it is open, the next one waits. */
export async function noteProbe(
  trx: Trx,
  organisationId: string,
  { breaker, now }: { readonly breaker: ProcessorBreaker | undefined; readonly now: Date },
): Promise<void> {
  if (breaker === undefined || breaker.openedAt === null) return;
  const nextProbeAt = new Date(now.getTime() + PROBE_MS).toISOString();
  await write(trx, organisationId, { breaker: { ...breaker, nextProbeAt }, now });
}

/** Counts what became of a request. */
export async function noteRefusal(
  trx: Trx,
  about: { readonly organisationId: string; readonly settlement: Settlement; readonly now: Date },
): Promise<void> {
  const { organisationId, settlement, now } = about;
  if (settlement.to === 'CONFIRMED' || settlement.to === 'PENDING') {
    await writeLater(trx, closing(organisationId));
    return;
  }
  if (settlement.to !== 'REJECTED' || settlement.failureClass !== 'ours') return;
  const before = await readProcessorBreaker(trx, organisationId);
  const inRow = (before?.inRow ?? 0) + 1;
  const opens = inRow >= REFUSALS_MAX && (before?.openedAt ?? null) === null;
  const openedAt = opens ? now.toISOString() : (before?.openedAt ?? null);
  const nextProbeAt = openedAt === null ? null : new Date(now.getTime() + PROBE_MS).toISOString();
  const breaker = { inRow, openedAt, nextProbeAt, code: settlement.failureCode };
  await write(trx, organisationId, { breaker, now });
  if (opens) await tell(trx, organisationId, { breaker, now });
}

/** Closes it: a row where there was anything to close. */
function closing(organisationId: string): RawBuilder<unknown> {
  return sql`delete from fact where organisation_id = ${organisationId} and name = ${PROCESSOR_BREAKER} returning name`;
}

/** A person has corrected the cause: sends again, and lets the cases that it held continue. */
export async function resumeProcessor(
  db: Db,
  about: { readonly organisationId: string; readonly operator: string; readonly now: Date },
): Promise<Resumed> {
  const { organisationId, now } = about;
  const actor = `operator:${about.operator}`;
  return await inTransaction(db, async (trx) => {
    const { rows } = await closing(organisationId).execute(trx);
    if (rows.length === 0) return { resumed: false, released: 0 };
    await writeAudit(trx, {
      organisationId,
      at: now,
      subject: 'system',
      subjectId: PROCESSOR_BREAKER,
      actor,
      what: 'refunds are sent to the processor again',
    });
    const reason = PROCESSOR_BREAKER;
    const released = await releaseHeldCases(trx, { organisationId, reason, actor, now });
    return { resumed: true, released };
  });
}

async function write(
  trx: Trx,
  organisationId: string,
  { breaker, now }: { readonly breaker: ProcessorBreaker; readonly now: Date },
): Promise<void> {
  await writeNamedValue(trx, { organisationId, name: PROCESSOR_BREAKER, value: breaker, at: now });
}

async function tell(
  trx: Trx,
  organisationId: string,
  { breaker, now }: { readonly breaker: ProcessorBreaker; readonly now: Date },
): Promise<void> {
  await notify(trx, {
    organisationId,
    dedupeKey: `${PROCESSOR_BREAKER}:${now.toISOString()}`,
    kind: PROCESSOR_BREAKER,
    severity: 'error',
    text: `The processor refused ${breaker.inRow} refunds in a row because of our own account or settings (${breaker.code}). Sending is stopped; one request tries again every ${PROBE_MS / 60_000} minutes. Check the processor's credentials and rights, then "forestall resume --processor".`,
    at: now,
  });
}
