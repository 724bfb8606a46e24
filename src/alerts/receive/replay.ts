/**
 * Puts a stored event back to work: after a defect was mended, or a person decided that a quarantined
 * event is good. Applying is safe to repeat, so replaying what was applied changes nothing.
 */
import { writeAudit } from '../../base/audit/audit.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { isSyntheticId } from './delivery.ts';
import { findInboxEvent, insertIdleDelivery } from './inbox.store.ts';
import { insertWork } from './inbox-work.store.ts';
import { findUnstoredBody, resolveQuarantine, resolveQuarantineOf } from './quarantine.store.ts';

/** Which event, who asks, when. */
export interface ReplayRequest {
  readonly organisationId: string;
  readonly eventId: string;
  /** `operator:<name>`. */
  readonly by: string;
  readonly at: Date;
}

/** `not_found`: no such event is stored. `malformed`: it is no event, and never will be. */
export type ReplayOutcome =
  | { readonly ok: true; readonly seq: number }
  | { readonly ok: false; readonly reason: 'not_found' | 'malformed' };

/** In place of the secret of an event that was stored from quarantine. */
const SECRET_ID_UNKNOWN = 'unknown';

/**
 * Puts an event back on the work list and closes what is open about it in quarantine.
 *
 * Of two bodies under one id the first is the one that is stored and replayed; the second stays in
 * quarantine, to be looked at.
 */
export async function replayEvent(db: Db, request: ReplayRequest): Promise<ReplayOutcome> {
  const { organisationId, eventId, by, at } = request;
  if (isSyntheticId(eventId)) return { ok: false, reason: 'malformed' };
  return await inTransaction(db, async (trx) => {
    const found =
      (await findInboxEvent(trx, organisationId, eventId)) ?? (await storeAfterAll(trx, request));
    if (found === undefined) return { ok: false, reason: 'not_found' };
    await insertWork(trx, organisationId, { eventId, ...found });
    await resolveQuarantineOf(trx, organisationId, { seq: found.seq, by, at });
    await writeAudit(trx, {
      organisationId,
      at,
      subject: 'event',
      subjectId: eventId,
      actor: by,
      what: 'replayed',
    });
    return { ok: true, seq: found.seq };
  });
}

/** Stores an event that the inbox once refused and the quarantine kept. */
async function storeAfterAll(
  trx: Trx,
  { organisationId, eventId, by, at }: ReplayRequest,
): Promise<{ readonly seq: number; readonly receivedAt: Date } | undefined> {
  const kept = await findUnstoredBody(trx, organisationId, eventId);
  if (kept === undefined) return undefined;
  const { id, body, bodyHash, receivedAt } = kept;
  const delivery = {
    eventId,
    body,
    bodyHash,
    subscription: '',
    deliveryId: null,
    secretId: SECRET_ID_UNKNOWN,
    signedAtSeconds: Math.floor(receivedAt.getTime() / 1_000),
  };
  const seq = await insertIdleDelivery(trx, organisationId, { delivery, receivedAt });
  if (seq === undefined) return undefined;
  await resolveQuarantine(trx, { organisationId, id }, { by, at });
  return { seq, receivedAt };
}
