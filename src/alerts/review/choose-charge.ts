/**
 * What a person says about an alert whose match is open: this is its charge.
 *
 * It decides nothing about money: the case becomes `MATCHED` and continues to the guards and the policy
 * as if the matcher had found the charge. The choice is remembered for later alerts about the same
 * payment. Taken under the case's row lock, so of two people one wins.
 */
import { byOperator, writeAudit } from '../../base/audit/audit.store.ts';
import type { Db, Trx } from '../../base/db/database.ts';
import { inTransaction } from '../../base/db/transaction.ts';
import { readAlertCopy } from '../cases/alert-copy.store.ts';
import type { CaseRow } from '../cases/case.store.ts';
import { lockCase, moveCase } from '../cases/case.store.ts';
import type { CaseState } from '../cases/case-state.ts';
import { isTerminal } from '../cases/case-state.ts';
import { lockCharge } from '../ledger/ledger.store.ts';
import { placeAcceptance, placeOnCharge } from '../refund/network-money.ts';
import type { OperatorRefusal, OperatorResult } from './operator-decision.ts';
import { DECIDABLE } from './operator-decision.ts';
import {
  holdsMoneyElsewhere,
  isUnshownOtherCard,
  writeOperatorMatch,
} from './operator-match.store.ts';

/** A person's choice. */
export interface ChargeChoice {
  readonly organisationId: string;
  readonly alertId: string;
  readonly chargeReference: string;
  readonly note: string;
  /** The person's name, as the audit log shows it. */
  readonly operator: string;
  /** The person knows that the charge was paid with other card digits than the alert says. @default false */
  readonly otherCard?: boolean;
  readonly now: Date;
}

/** Takes a person's choice. Refusals are written to the audit log too. */
export async function applyChargeChoice(db: Db, choice: ChargeChoice): Promise<OperatorResult> {
  return await inTransaction(db, async (trx) => {
    const { organisationId, alertId, chargeReference } = choice;
    // The charge's lock comes before the row's, as everywhere.
    await lockCharge(trx, { organisationId, chargeReference });
    const current = await lockCase(trx, organisationId, alertId);
    if (current === undefined) return { ok: false, reason: 'not_found' };
    const reason =
      (await refusalOf(trx, current, choice)) ?? (await cardRefusal(trx, current, choice));
    const match = waitsForCharge(current) ? placeClosed : matchTo;
    const next = reason === undefined ? await match(trx, current, choice) : current;
    await writeAudit(trx, {
      organisationId,
      at: choice.now,
      ...byOperator(choice.operator),
      alertId,
      what: reason === undefined ? 'chose the charge' : 'choosing the charge refused',
      fromState: current.state,
      toState: next.state,
      detail: { charge: chargeReference, ...(reason === undefined ? {} : { reason }) },
    });
    return reason === undefined ? { ok: true, state: next.state } : { ok: false, reason };
  });
}

async function refusalOf(
  trx: Trx,
  current: CaseRow,
  { organisationId, chargeReference }: ChargeChoice,
): Promise<OperatorRefusal | undefined> {
  // The doubt about it outlives the alert: what was said or moved may be about a payment that is disputed again.
  if (waitsForCharge(current)) return undefined;
  if (isTerminal(current.state)) return 'closed';
  const alert = await readAlertCopy(trx, organisationId, current.alert_id);
  if (alert?.enrolmentType === 'NETB_RDR') return 'rdr';
  if (!DECIDABLE.includes(current.state)) return 'already_decided';
  const elsewhere = await holdsMoneyElsewhere(trx, current, chargeReference);
  return elsewhere ? 'refund_elsewhere' : undefined;
}

/** Of a charge that was laid before the person, they were shown what speaks against it. */
async function cardRefusal(
  trx: Trx,
  current: CaseRow,
  { chargeReference, otherCard = false }: ChargeChoice,
): Promise<OperatorRefusal | undefined> {
  const isAsked = !otherCard && (await isUnshownOtherCard(trx, current, chargeReference));
  return isAsked ? 'other_card' : undefined;
}

async function matchTo(trx: Trx, current: CaseRow, choice: ChargeChoice): Promise<CaseRow> {
  const { chargeReference, operator, now } = choice;
  const matchId = await writeOperatorMatch(trx, current, choice);
  return await moveCase(trx, current, {
    to: 'MATCHED',
    now,
    nextActionAt: now,
    what: 'charge named by a person',
    actor: `operator:${operator}`,
    detail: { charge: chargeReference, match_id: matchId },
    set: {
      match_id: matchId,
      charge_reference: chargeReference,
      movement_id: null,
      dispute_id: null,
      retry_at: null,
      hold_reason: null,
      fallback_action: null,
      fallback_at: null,
    },
  });
}

const WAIT_CLOSED: ReadonlySet<CaseState> = new Set([
  'RECONCILED_RDR',
  'DECLARED_ACCEPT',
  // Somebody answered in the service's dashboard.
  'CLOSED_REMOTE',
]);

/** Network money, or an acceptance, of a case that is over and never had a charge: a person can still name it. */
export function waitsForCharge({
  state,
  charge_reference: reference,
}: Pick<CaseRow, 'state' | 'charge_reference'>): boolean {
  return reference === null && WAIT_CLOSED.has(state);
}

/** The case stays over; its money, or its acceptance, is on the charge from now on. */
async function placeClosed(trx: Trx, current: CaseRow, choice: ChargeChoice): Promise<CaseRow> {
  const { organisationId, chargeReference, now } = choice;
  const placed = { organisationId, alertId: current.alert_id, chargeReference, now };
  await writeOperatorMatch(trx, current, choice);
  await (current.state === 'RECONCILED_RDR' ? placeOnCharge : placeAcceptance)(trx, placed);
  return current;
}
