/**
 * Reserves money on a charge: the movement with its key, in the transaction that decided it. The charge
 * is locked, and the ledger was read under the lock.
 *
 * What was tried before for the same dispute and the same amount is tried again as the same movement:
 * under a new key where the last was refused, under the same where nothing was sent. Another amount is
 * another movement.
 */
import type { Trx } from '../../base/db/database.ts';
import { assertInvariant } from '../../base/kernel/errors.ts';
import { createId } from '../../base/kernel/ids.ts';
import { LEASE_MS } from '../../base/kernel/limits.ts';
import type { ProcessorCapabilities } from '../../service/wire/processor.ts';
import type { CaseRow } from '../cases/case.store.ts';
import type { HoldReason } from '../cases/hold-reason.ts';
import { writeCustomer } from '../guard/caps.store.ts';
import type { SendingStanding } from '../guard/check-movement.ts';
import { guardMovement } from '../guard/check-movement.ts';
import { sentForComplaint } from '../guard/complaint-sum.ts';
import type { ChargeKey } from '../ledger/ledger.store.ts';
import type { Ledger, Movement } from '../ledger/ledger.ts';
import { isOurs, mayHaveExecuted } from '../ledger/ledger.ts';
import type { OurMovementRow } from '../ledger/movement.store.ts';
import { findMovement, insertMovement, moveMovement } from '../ledger/movement.store.ts';
import { movementKey, nextRound } from '../ledger/movement-key.ts';
import type { SagaDeps } from './saga-deps.ts';
import { provenAtMs } from './unknown-rule.ts';

/** What is to be reserved. */
export interface Wanted {
  readonly kind: 'refund' | 'void';
  readonly amountMinor: number;
  readonly currency: string;
  readonly disputeId: string;
}

/** Where, for which case, when. */
export interface ReserveContext {
  readonly deps: SagaDeps;
  readonly charge: ChargeKey;
  readonly ledger: Ledger;
  readonly claim: CaseRow;
  readonly capabilities: ProcessorCapabilities;
  /** Who took the decision in force; undefined: a policy, or its fallback. */
  readonly operator: string | undefined;
  /** Of the charge, read with the caps' lock. */
  readonly standing: SendingStanding;
  /** The merchant whose own processor the request goes through; null: the organisation's. */
  readonly sentThrough: string | null;
  /** Keys under which refunds stand at the processor. */
  readonly takenKeys: ReadonlySet<string | null>;
  readonly now: Date;
}

/** The movement, and why it was not sent; undefined: its request may go out now. */
export interface Reserved {
  readonly movement: OurMovementRow;
  readonly refusal: HoldReason | undefined;
  /** Whose guard it was, where it is not the organisation's. */
  readonly layer?: string | undefined;
}

/** Reserves as `SENT`, or, where a guard forbids the request, as `NOT_SENT`. */
export async function reserveMovement(
  trx: Trx,
  wanted: Wanted,
  context: ReserveContext,
): Promise<Reserved> {
  const { deps, charge, ledger, claim, now } = context;
  const before = triedBefore(ledger, wanted);
  const round = freeRound(context);
  const id = before?.id ?? createId('mv');
  const guarded = await guardMovement(
    trx,
    {
      ...wanted,
      id,
      round,
      besideMinor: sentBeside(ledger, wanted, id),
      complaintMinor: sentForComplaint(ledger, { ...wanted, except: id }),
      organisationId: charge.organisationId,
      chargeReference: charge.chargeReference,
    },
    {
      ...{ owner: claim, operator: context.operator, standing: context.standing, now },
      settings: deps.settings.guards,
      layers: deps.settings.layers,
    },
  );
  const stored = await store(trx, {
    ...context,
    wanted,
    before,
    id,
    round,
    refusal: guarded.refusal,
    layer: guarded.layer,
    customer: guarded.customer ?? [],
  });
  return { movement: stored, refusal: guarded.refusal, layer: guarded.layer };
}

/** The next key of the charge under which nothing stands at the processor: a restored backup does not know each of its own. */
function freeRound({ charge, ledger, takenKeys }: ReserveContext): number {
  let round = nextRound(ledger.movements.filter(isOurs));
  while (takenKeys.has(movementKey(charge, round))) round += 1;
  return round;
}

/** What refunds of ours for other disputes, or of other amounts, have sent back or may have. */
function sentBeside({ movements }: Ledger, { currency }: Wanted, id: string): number {
  return movements
    .filter((each) => isOurs(each) && each.id !== id && each.currency === currency)
    .filter(mayHaveExecuted)
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

/** A movement for the same dispute and amount that came to nothing. */
function triedBefore({ movements }: Ledger, wanted: Wanted): Movement | undefined {
  return movements.find(
    (each) =>
      isOurs(each) &&
      (each.state === 'REJECTED' || each.state === 'NOT_SENT') &&
      each.disputeId === wanted.disputeId &&
      each.kind === wanted.kind &&
      each.amountMinor === wanted.amountMinor &&
      each.currency === wanted.currency,
  );
}

interface Storing extends ReserveContext {
  readonly wanted: Wanted;
  readonly before: Movement | undefined;
  readonly id: string;
  readonly round: number;
  readonly refusal: HoldReason | undefined;
  readonly layer: string | undefined;
  /** Whose refund it is, for the counts of the caps. */
  readonly customer: readonly string[];
}

async function store(trx: Trx, storing: Storing): Promise<OurMovementRow> {
  const { deps, charge, wanted, before, id, round, refusal, claim, now } = storing;
  const provenAt = new Date(provenAtMs(now.getTime(), storing.capabilities));
  const until = new Date(now.getTime() + LEASE_MS);
  const lease = { owner: deps.workerId, until };
  if (before === undefined) {
    return await insertMovement(trx, {
      ...wanted,
      id,
      charge,
      round,
      state: refusal === undefined ? 'SENT' : 'NOT_SENT',
      alertId: claim.alert_id,
      failureCode: refusal ?? null,
      nextActionAt: refusal === undefined ? until : null,
      ...(refusal === undefined ? { lease, provenAt } : {}),
      holder: claim.alert_id,
      customer: storing.customer,
      sentThrough: storing.sentThrough,
      what: refusal === undefined ? 'refund sent' : unsentBy(storing),
      now,
    });
  }
  const row = await findMovement(trx, charge.organisationId, before.id);
  assertInvariant(row !== undefined, `Movement ${before.id} is gone.`);
  if (refusal !== undefined) return await staysUnsent(trx, row, { ...storing, refusal });
  const { organisationId } = charge;
  await writeCustomer(trx, { organisationId, movementId: row.id }, storing.customer);
  return await moveMovement(trx, row, {
    to: 'SENT',
    now,
    holder: claim.alert_id,
    nextActionAt: until,
    lease,
    what: row.state === 'REJECTED' ? 'refund tried again, new key' : 'refund sent',
    detail: { round },
    set: {
      round,
      idempotency_key: movementKey(charge, round),
      alert_id: claim.alert_id,
      failure_code: null,
      failure_class: null,
      processor_reference: null,
      sent_through: storing.sentThrough,
      first_sent_at: now,
      sent_at: now,
      proven_at: provenAt,
    },
  });
}

/** It was not sent before, and may not be now: only the reason may be another. */
async function staysUnsent(
  trx: Trx,
  row: OurMovementRow,
  storing: Storing & { readonly refusal: HoldReason },
): Promise<OurMovementRow> {
  const { refusal, now } = storing;
  return await moveMovement(trx, row, {
    to: row.state,
    now,
    nextActionAt: null,
    what: unsentBy(storing),
    set: row.state === 'NOT_SENT' ? { failure_code: refusal } : {},
  });
}

/** Whose guard it was is said where it is not the organisation's. */
function unsentBy({ layer }: Storing): string {
  return layer === undefined ? 'not sent' : `not sent: a guard of the ${layer} holds it`;
}
