/**
 * Whether a person may name money by its reference: what counts already, on whatever charge, answers nothing else, and what
 * failed did not go back.
 */
import type { Trx } from '../../base/db/database.ts';
import type { Money } from '../../base/kernel/money.ts';
import type { NamedMoney } from '../ledger/counted.store.ts';
import { findNamedMoney } from '../ledger/counted.store.ts';
import type { OurMovementRow } from '../ledger/movement.store.ts';
import type { OperatorRefusal } from './operator-decision.ts';

/** What came of looking for it. */
export type NamedAnswer =
  | { readonly refusal: OperatorRefusal }
  /** `shown`: the processor shows it on this charge, for nothing else. */
  | { readonly refusal: undefined; readonly isShown: boolean };

/** Of money that went back outside the processor. */
export async function mayNameOutside(
  trx: Trx,
  organisationId: string,
  reference: string,
): Promise<OperatorRefusal | undefined> {
  return objectionTo(await findNamedMoney(trx, organisationId, reference));
}

/** Of what became of a request of ours: the processor may show it already, without our key, and then with its amount. */
export async function mayNameOutcome(
  trx: Trx,
  row: OurMovementRow,
  said: Money & { readonly reference: string },
): Promise<NamedAnswer> {
  const named = await findNamedMoney(trx, row.organisation_id, said.reference);
  const beside = named.filter(({ id }) => id !== row.id);
  const shown = beside.filter((each) => isShownFor(each, row));
  const refusal = objectionTo(beside.filter((each) => !shown.includes(each)));
  if (refusal !== undefined) return { refusal };
  const isOther = shown.some(
    (each) => each.amount_minor !== said.amountMinor || each.currency !== said.currency,
  );
  return isOther ? { refusal: 'reference_other_amount' } : { refusal, isShown: shown.length > 0 };
}

/** The processor shows it on the request's charge, and it answers no other complaint. */
function isShownFor(money: NamedMoney, row: OurMovementRow): boolean {
  return (
    money.observed_from === 'processor' &&
    money.charge_reference === row.charge_reference &&
    !FAILED.has(money.state) &&
    money.answers.every((disputeId) => disputeId === row.dispute_id)
  );
}

const FAILED: ReadonlySet<NamedMoney['state']> = new Set(['REJECTED', 'REVERSED', 'NOT_SENT']);

function objectionTo(named: readonly NamedMoney[]): OperatorRefusal | undefined {
  if (named.some(({ state }) => !FAILED.has(state))) return 'reference_counted';
  return named.length > 0 ? 'reference_failed' : undefined;
}
