/**
 * The breaker for refusals that are our own fault (bad credentials, missing right, malformed request):
 * several in a row stop all sending and page a person. After a while one request may try again; the
 * first that the processor takes closes it.
 */
import type { Kysely, Transaction } from 'kysely';
import { z } from 'zod';
import type { Database } from '../db/database.ts';
import type { Settlement } from '../ledger/settle-movement.ts';
import { notify } from '../notify/notification.store.ts';

const FACT = 'processor_refuses_us';

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

/** Where it stands; undefined: nothing was refused since the last request that was taken. */
export type ProcessorBreaker = z.infer<typeof breakerSchema>;

/** Reads it. */
export async function readProcessorBreaker(
  db: Kysely<Database>,
  organisationId: string,
): Promise<ProcessorBreaker | undefined> {
  const row = await db
    .selectFrom('fact')
    .select('value')
    .where('organisation_id', '=', organisationId)
    .where('name', '=', FACT)
    .executeTakeFirst();
  return breakerSchema.safeParse(row?.value).data;
}

/** Whether a request may be sent: always while it is closed, one at a time while it is open. */
export async function mayProbe(
  trx: Transaction<Database>,
  organisationId: string,
  now: Date,
): Promise<boolean> {
  const breaker = await readProcessorBreaker(trx, organisationId);
  if (breaker === undefined || breaker.openedAt === null) return true;
  if (breaker.nextProbeAt !== null && Date.parse(breaker.nextProbeAt) > now.getTime()) return false;
  await write(trx, organisationId, {
    breaker: { ...breaker, nextProbeAt: new Date(now.getTime() + PROBE_MS).toISOString() },
    now,
  });
  return true;
}

/** Counts what became of a request. */
export async function noteRefusal(
  trx: Transaction<Database>,
  about: {
    readonly organisationId: string;
    readonly settlement: Settlement;
    readonly now: Date;
  },
): Promise<void> {
  const { organisationId, settlement, now } = about;
  if (settlement.to === 'CONFIRMED' || settlement.to === 'PENDING') {
    return await closeProcessorBreaker(trx, organisationId);
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

/** Closes it: a request was taken, or a person has corrected the cause. */
export async function closeProcessorBreaker(
  trx: Transaction<Database>,
  organisationId: string,
): Promise<void> {
  await trx
    .deleteFrom('fact')
    .where('organisation_id', '=', organisationId)
    .where('name', '=', FACT)
    .execute();
}

async function write(
  trx: Transaction<Database>,
  organisationId: string,
  { breaker, now }: { readonly breaker: ProcessorBreaker; readonly now: Date },
): Promise<void> {
  const value = JSON.stringify(breaker);
  await trx
    .insertInto('fact')
    .values({ organisation_id: organisationId, name: FACT, value, changed_at: now })
    .onConflict((conflict) =>
      conflict.columns(['organisation_id', 'name']).doUpdateSet({ value, changed_at: now }),
    )
    .execute();
}

async function tell(
  trx: Transaction<Database>,
  organisationId: string,
  { breaker, now }: { readonly breaker: ProcessorBreaker; readonly now: Date },
): Promise<void> {
  await notify(trx, {
    organisationId,
    dedupeKey: `${FACT}:${now.toISOString()}`,
    kind: FACT,
    severity: 'error',
    text: `The processor refused ${breaker.inRow} refunds in a row because of our own account or settings (${breaker.code}). Sending is stopped; one request tries again every ${PROBE_MS / 60_000} minutes. Check the processor's credentials and rights, then "forestall resume --processor".`,
    at: now,
  });
}
