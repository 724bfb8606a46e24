/**
 * What follows from one event of the processor: what waits on its charge is looked at now, and the charge
 * itself is read again. The event's own words decide about nothing: they say where to look.
 *
 * Run again from the start it does the same once more, and changes nothing that is there.
 */

import { wakeCasesOfCharge } from '../../alerts/cases/wake-cases.store.ts';
import { MOVEMENT_TOPIC } from '../../alerts/ledger/movement.store.ts';
import { withShownLedger } from '../../alerts/ledger/with-ledger.ts';
import type { Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { wake } from '../../base/jobs/wake.store.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { crashPoint } from '../../base/kernel/crash-point.ts';
import { recordDisputeInFeed } from '../../orders/saga-report.ts';
import type { ProcessorCharge } from '../../service/wire/processor.ts';
import { openWarningClaim } from './open-claim.ts';
import type { ProcessorEventRow } from './processor-event.store.ts';
import { knownCharges, noteFraudWarning, wakeMovementsOf } from './processor-event.store.ts';
import type { SignalDeps } from './signal-deps.ts';

/** The outcome. `again`: something could not be asked. */
export type EventResult =
  | { readonly kind: 'done'; readonly outcome: string }
  | { readonly kind: 'again'; readonly reason: string };

/** Acts on one event. */
export async function applyEvent(
  deps: SignalDeps,
  event: ProcessorEventRow,
  signal: AbortSignal,
): Promise<EventResult> {
  const known = await knownCharges(deps.db, event);
  for (const reference of known) await wakeWaiting(deps, event, reference);
  if (known.length > 0) await crashPoint('event.woken');
  // Nothing waits for a charge that no order and no alert has named; a warning may still be the first word.
  const asked =
    known.length > 0 || event.kind !== 'fraud_warning' ? known : event.charge_references;
  for (const reference of asked) {
    const result = await readAnew(deps, { event, reference }, signal);
    if (result.kind === 'again' || result.outcome !== 'absent') return result;
  }
  return { kind: 'done', outcome: asked.length === 0 ? 'charge not known' : 'absent' };
}

/** Movements and cases that wait on the charge are due now; so is, on its account, what was warned of. */
async function wakeWaiting(
  { db, organisationId, clock }: SignalDeps,
  { kind, received_at }: ProcessorEventRow,
  reference: string,
): Promise<void> {
  const now = nowDate(clock);
  await inTransaction(db, async (trx) => {
    if (kind === 'fraud_warning') {
      await noteFraudWarning(trx, organisationId, { reference, at: received_at });
    }
    await wakeMovementsOf(trx, organisationId, { reference, now });
    await wake(trx, MOVEMENT_TOPIC);
    await wakeCasesOfCharge(trx, organisationId, { reference, now });
  });
}

interface Named {
  readonly event: ProcessorEventRow;
  readonly reference: string;
}

/** Reads the charge at the processor, and writes what it shows onto the charge's account. */
async function readAnew(deps: SignalDeps, named: Named, signal: AbortSignal): Promise<EventResult> {
  const { db, clock, processor, organisationId } = deps;
  const charge = { organisationId, chargeReference: named.reference };
  const read = await withShownLedger(
    { db, clock, processor, samePart: deps.samePart() },
    { charge, alertId: null, signal },
    (trx, { shown, now }) => consequencesOf(trx, deps, { ...named, shown, now }),
  );
  if (read.kind === 'unavailable') return { kind: 'again', reason: read.reason };
  return { kind: 'done', outcome: read.kind === 'done' ? 'read' : read.kind };
}

/** What the processor confirms by now: only then a dispute is told on, and a warning becomes a claim. */
async function consequencesOf(
  trx: Trx,
  { organisationId, claimSources }: SignalDeps,
  { event, reference, shown, now }: Named & { readonly shown: ProcessorCharge; readonly now: Date },
): Promise<void> {
  if (event.kind === 'dispute_opened' && shown.disputed && event.dispute_reference !== null) {
    await recordDisputeInFeed(trx, {
      organisationId,
      chargeReference: reference,
      now,
      dispute: {
        reference: event.dispute_reference,
        amountMinor: event.amount_minor ?? shown.amountMinor,
        currency: event.currency ?? shown.currency,
      },
    });
  }
  if (event.kind !== 'fraud_warning') return;
  await noteFraudWarning(trx, organisationId, { reference, at: event.received_at });
  if (!claimSources().includes('FRAUD_WARNING')) return;
  await openWarningClaim(trx, { organisationId, event, reference, shown, now });
}
