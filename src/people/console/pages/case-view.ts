/** Everything a person needs to see of one case, read at once: for its page, and for the pane beside the queue. */
import { readCustomerFacts } from '../../../alerts/decide/history-facts.store.ts';
import type { CustomerFacts } from '../../../alerts/decide/history-facts.ts';
import type { Approval } from '../../../alerts/guard/guard-status.store.ts';
import { readApprovals } from '../../../alerts/guard/guard-status.store.ts';
import type { AccountMoney } from '../../../alerts/ledger/account.ts';
import { accountOf } from '../../../alerts/ledger/account.ts';
import type { Ledger } from '../../../alerts/ledger/ledger.ts';
import type { AlertDetail } from '../../../alerts/list/alert-detail.store.ts';
import type { CaseNotes } from '../../../alerts/list/case-notes.store.ts';
import { readCaseNotes } from '../../../alerts/list/case-notes.store.ts';
import { findClaim } from '../../../alerts/review/claim.store.ts';
import { findCharge } from '../../../orders/charge.store.ts';
import type { ChargeRecord } from '../../../orders/charge-record.ts';
import type { KnownOrder } from '../../../orders/find-order.ts';
import { findOrder } from '../../../orders/find-order.ts';
import type { Visit } from '../../../surface/web/visit.ts';
import type { LineUp } from './candidates.ts';
import { readLineUp } from './candidates.ts';
import { ledgerOf } from './read-detail.ts';

export interface CaseView {
  readonly alertId: string;
  readonly detail: AlertDetail;
  readonly notes: CaseNotes;
  /** What two people are asked to agree to; where nothing is, the last that ended. */
  readonly approvals: readonly Approval[];
  readonly claimedBy: string | null;
  readonly ledger: Ledger | undefined;
  readonly lineUp: LineUp;
  readonly charge: ChargeRecord | undefined;
  /** The charge as an account; undefined while no charge is known. */
  readonly account: AccountMoney | undefined;
  readonly order: KnownOrder | undefined;
  /** The customer's other orders; undefined while the customer is not known. */
  readonly customer: CustomerFacts | undefined;
}

export async function readCaseView(
  visit: Visit,
  known: Pick<CaseView, 'alertId' | 'detail'> & { readonly ledger?: Ledger | undefined },
): Promise<CaseView> {
  const { alertId, detail } = known;
  const { db, organisationId } = visit.options;
  const chargeReference = detail.case?.charge_reference ?? null;
  const [purchase, approvals, claim, ledger, lineUp, charge] = await Promise.all([
    readPurchase(visit, alertId, chargeReference),
    readApprovals(db, organisationId, alertId),
    findClaim(db, { organisationId, alertId, now: visit.now }),
    known.ledger ?? ledgerOf(visit, detail.case),
    readLineUp(visit, detail.match),
    chargeReference === null ? undefined : findCharge(db, organisationId, chargeReference),
  ]);
  const claimedBy = claim?.operator ?? null;
  const account = ledger === undefined ? undefined : moneyOf(ledger, charge);
  return { alertId, detail, ...purchase, approvals, claimedBy, ledger, lineUp, charge, account };
}

/** What was said about it, its order and the order's customer: each names the next. */
async function readPurchase(
  visit: Visit,
  alertId: string,
  chargeReference: string | null,
): Promise<Pick<CaseView, 'notes' | 'order' | 'customer'>> {
  const { db, organisationId } = visit.options;
  const notes = await readCaseNotes(db, organisationId, { alertId, chargeReference });
  if (notes.orderReference === null) return { notes, order: undefined, customer: undefined };
  const order = await findOrder(db, organisationId, notes.orderReference);
  const customer = order === undefined ? undefined : await readCustomer(visit, alertId, order);
  return { notes, order, customer };
}

async function readCustomer(
  { options: { db, organisationId } }: Visit,
  alertId: string,
  order: KnownOrder,
): Promise<CustomerFacts | undefined> {
  const { customerAccountId: accountId, customerEmail: email, orderDatetime: orderedAt } = order;
  if (accountId === null && email === null) return undefined;
  return await readCustomerFacts(db, {
    organisationId,
    alertId,
    keys: { accountId, email, orderedAt },
    orderReference: order.referenceId,
    asksBlocked: true,
  });
}

function moneyOf(ledger: Ledger, charge: ChargeRecord | undefined): AccountMoney | undefined {
  const { amountMinor = null, currency = null } = charge ?? {};
  const charged = amountMinor === null || currency === null ? undefined : { amountMinor, currency };
  return accountOf({ ledger, charge: charged, mentions: [] }).money;
}
