/**
 * Money that the ledger knows and cannot place by itself, and a person names: what went back before the complaint, and
 * what the network refunded in another currency.
 */
import type { Trx } from '../../base/db/database.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { wakeCasesOfCharge } from '../cases/wake-cases.store.ts';
import { readLedger } from '../ledger/ledger.store.ts';
import type { Dispute, Ledger, Movement } from '../ledger/ledger.ts';
import { foreignOut, unnamedBefore } from '../ledger/ledger.ts';
import { nameMoney, writeAllocation } from '../ledger/observe.store.ts';
import { referenceKey } from '../ledger/reference.ts';
import { isAgreed } from './agreed.ts';
import type { OperatorDecision, OperatorResult } from './operator-decision.ts';
import { refuse } from './operator-decision.ts';
import { decideAnew } from './operator-money.ts';

/** The network's money in another currency, named by its alert: a person says how much of the charge that is. */
export function networkNamed(
  ledger: Ledger,
  dispute: Dispute,
  reference: string,
): Movement | undefined {
  return foreignOut(ledger).find(
    (each) =>
      each.kind === 'network' &&
      each.state === 'CONFIRMED' &&
      each.disputeId === dispute.id &&
      each.alertId === reference,
  );
}

/** The ledger as if that movement were not there. */
export function withoutMoney(ledger: Ledger, movement: Movement | undefined): Ledger {
  return { ...ledger, movements: ledger.movements.filter((each) => each !== movement) };
}

/** What went back before the complaint under that reference and answers none. */
export function namedBefore(
  ledger: Ledger,
  dispute: Dispute,
  reference: string,
): Movement | undefined {
  const key = referenceKey(reference);
  return unnamedBefore(ledger, dispute).find(
    (each) =>
      referenceKey(each.reference ?? '') === key &&
      each.covers.length === 0 &&
      each.state === 'CONFIRMED',
  );
}

/** What it was for, as a person says: as much as it is, once. */
export async function sayItWas(
  trx: Trx,
  current: CaseRow,
  said: {
    readonly decision: OperatorDecision;
    readonly ledger: Ledger;
    readonly dispute: Dispute;
    readonly movement: Movement;
  },
): Promise<OperatorResult> {
  const { decision, ledger, dispute, movement } = said;
  const { organisationId, now } = decision;
  const { amountMinor, currency } = movement;
  const reference = movement.reference ?? movement.id;
  const agreed = await isAgreed(trx, current, {
    kind: 'REFUNDED_OUTSIDE',
    decision,
    ledger,
    disputeId: dispute.id,
    about: `outside:${dispute.id}:${referenceKey(reference)}`,
    reference,
    amountMinor,
    currency,
  });
  if (!agreed) return refuse('second_person');
  const charge = { organisationId, chargeReference: ledger.chargeReference };
  await nameMoney(trx, { charge, movementId: movement.id, disputeId: dispute.id, now });
  await writeAllocation(trx, await readLedger(trx, charge), organisationId);
  await wakeCasesOfCharge(trx, organisationId, { reference: ledger.chargeReference, now });
  return await decideAnew(trx, current, { decision, what: 'refunded before, says a person' });
}
