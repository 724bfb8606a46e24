/** Claims about payments: the disputed one, what went back of it, earlier ones, and the other one. Pure. */
import type { MovementRow } from '../../alerts/ledger/movement.store.ts';
import type { Money } from '../../base/kernel/money.ts';
import { formatMoney } from '../../base/kernel/money.ts';
import type { ChargeRecord } from '../../orders/charge-record.ts';
import type { RefundPart, TransactionPart } from '../../orders/order-body.ts';
import type { Cites, Claim, RowRef, Sentence } from './claim.ts';
import { indexedWords, known, momentWords, tell } from './claim.ts';
import type { OwnPayment, PackFacts } from './pack-facts.ts';
import type { PaymentRows, Standing } from './standing.ts';
import { standingOf, takenBy } from './standing.ts';

/** The order's own record of the payment. */
export function transactionOf({ order, charge }: PackFacts): TransactionPart | undefined {
  return order?.transactions.find((each) => each.reference_id === charge?.reference);
}

interface Paid {
  readonly charge: ChargeRecord;
  readonly standing: Standing;
  readonly taken: Money | null;
  /** Why it is known: the processor was asked about it. */
  readonly isShown: boolean;
  /** Order and processor name one currency. */
  readonly isOneCurrency: boolean;
}

/** A release of the authorisation: null amount, so that only its state counts. */
const MAY_BE_RELEASED: ReadonlySet<string> = new Set(['SENT', 'UNKNOWN', 'PENDING', 'HUMAN']);

function rowsOfPayment(facts: PackFacts, charge: ChargeRecord): PaymentRows {
  const voids = facts.movements.filter(({ kind }) => kind === 'void');
  const perhaps = voids.some(({ state }) => MAY_BE_RELEASED.has(state)) ? 'perhaps' : 'no';
  return {
    charge,
    status: known(transactionOf(facts)?.authorisation_status),
    shown: facts.shown,
    released: voids.some(({ state }) => state === 'CONFIRMED') ? 'yes' : perhaps,
    now: facts.now,
  };
}

function paidOf(facts: PackFacts, charge: ChargeRecord): Paid {
  const rows = rowsOfPayment(facts, charge);
  const currency = rows.shown?.currency ?? charge.currency;
  return {
    charge,
    standing: standingOf(rows),
    taken: takenBy(rows),
    isShown: rows.shown !== undefined && rows.shown.status !== null,
    isOneCurrency: currency === charge.currency,
  };
}

const sumOf = ({ charge }: Paid): string => formatMoney(charge);

function underArn({ charge: { acquirerReferenceNumber: arn } }: Paid): string {
  return arn === null ? '' : ` under acquirer reference number ${arn}`;
}

const PAYMENT: readonly Claim<Paid>[] = [
  {
    // Captured or settled, and never said to be declined or released; the whole sum.
    holds: ({ standing, taken, charge }) =>
      standing === 'taken' && taken !== null && taken.amountMinor >= charge.amountMinor,
    says: (paid) =>
      `Payment ${paid.charge.reference} took ${formatMoney(paid.taken ?? paid.charge)}${underArn(paid)}.`,
  },
  {
    // The processor captured less than the order's sum.
    holds: ({ standing, taken, charge }) =>
      standing === 'taken' && taken !== null && taken.amountMinor < charge.amountMinor,
    says: (paid) =>
      `Payment ${paid.charge.reference} took ${formatMoney(paid.taken ?? paid.charge)} of ${sumOf(paid)}${underArn(paid)}.`,
  },
  {
    // Taken, and the rows do not agree in a sum.
    holds: ({ standing, taken }) => standing === 'taken' && taken === null,
    says: (paid) => `Payment ${paid.charge.reference} was captured${underArn(paid)}.`,
  },
  {
    // Authorised only: nothing says that it was captured.
    holds: ({ standing, isOneCurrency }) => standing === 'authorised' && isOneCurrency,
    says: (paid) =>
      `Payment ${paid.charge.reference} of ${sumOf(paid)} is authorised; no capture of it is recorded.`,
  },
  {
    holds: ({ standing, isOneCurrency }) => standing === 'declined' && isOneCurrency,
    says: (paid) =>
      `Payment ${paid.charge.reference} of ${sumOf(paid)} was declined and took nothing.`,
  },
  {
    holds: ({ standing, isOneCurrency }) => standing === 'released' && isOneCurrency,
    says: (paid) =>
      `The authorisation of payment ${paid.charge.reference} of ${sumOf(paid)} was released, and it took nothing.`,
  },
  {
    // No row says what became of it: only that it is there, with its sum.
    holds: ({ standing }) => standing === 'unknown',
    says: (paid) =>
      `The records hold payment ${paid.charge.reference} of ${sumOf(paid)}${underArn(paid)}.`,
  },
];

export function tellPayment(facts: PackFacts): readonly Sentence[] {
  const { charge } = facts;
  if (charge === undefined) return [];
  const paid = paidOf(facts, charge);
  const own: RowRef = { table: 'charge', id: charge.reference };
  const account: RowRef = { table: 'charge_account', id: charge.reference };
  return tell(PAYMENT, paid, paid.isShown ? [own, account] : [own]);
}

interface Authorised extends Paid {
  readonly at: string | null;
  readonly code: string | null;
}

const AUTHORISATION: readonly Claim<Authorised>[] = [
  {
    // A declined payment has no authorisation; where rows contradict each other it is not known.
    holds: ({ at, code, standing }) =>
      at !== null && code !== null && standing !== 'declined' && standing !== 'contradicted',
    says: ({ at, code }) =>
      `It was authorised on ${indexedWords(at ?? '')} with authorisation code ${code ?? ''}.`,
  },
];

export function tellAuthorisation(facts: PackFacts): readonly Sentence[] {
  const { charge } = facts;
  if (charge === undefined) return [];
  const { authorisedAt: at, authorisationCode: code } = charge;
  const authorised = { ...paidOf(facts, charge), at, code: known(code) };
  return tell(AUTHORISATION, authorised, [{ table: 'charge', id: charge.reference }]);
}

const BACK: Partial<Readonly<Record<MovementRow['kind'], string>>> = {
  refund: 'The merchant refunded',
  external: 'The merchant refunded',
  network: 'The card network refunded',
};

const REFUND: readonly Claim<MovementRow>[] = [
  {
    // Confirmed, of a kind that gives money back, and some money. What is on its way, failed or was taken back is not told.
    holds: ({ kind, state, amount_minor: amountMinor }) =>
      BACK[kind] !== undefined && state === 'CONFIRMED' && amountMinor > 0,
    says: (row) => {
      const sum = formatMoney({ amountMinor: row.amount_minor, currency: row.currency });
      const under =
        row.processor_reference === null ? '' : ` under reference ${row.processor_reference}`;
      return `${BACK[row.kind] ?? ''} ${sum}${whenBack(row)}${under}.`;
    },
  },
];

/** When it moved; else only when it was seen. */
function whenBack({ moved_at: moved, confirmed_at: confirmed }: MovementRow): string {
  if (moved !== null) return ` on ${indexedWords(moved.toISOString())}`;
  return confirmed === null ? '' : `, confirmed on ${indexedWords(confirmed.toISOString())}`;
}

/** A refund that the order tells of. */
interface ToldRefund {
  readonly refund: RefundPart;
  readonly facts: PackFacts;
}

const SUCCEEDED = /^(?:SUCCEEDED|SUCCESS|SUCCESSFUL|COMPLETED?|SETTLED|CONFIRMED|REFUNDED|PAID)$/i;

const ORDER_REFUND: readonly Claim<ToldRefund>[] = [
  {
    // It succeeded, is of this payment, and no movement of ours tells of it or denies it.
    holds: ({ refund, facts }) =>
      SUCCEEDED.test(refund.status ?? '') &&
      refund.amount_in_cents > 0 &&
      isOfPayment(refund, facts) &&
      !facts.movements.some((row) => isSameRefund(row, refund)),
    says: ({ refund }) => {
      const sum = formatMoney({
        amountMinor: refund.amount_in_cents,
        currency: refund.currency,
      });
      const at = known(refund.refund_datetime);
      const when = at === null ? '' : ` on ${momentWords(at)}`;
      return `The order records a refund of ${sum}${when} under reference ${refund.reference_id}.`;
    },
  },
];

/** It names the payment, or the order has no other. */
function isOfPayment(refund: RefundPart, { charge, order }: PackFacts): boolean {
  const named = known(refund.original_transaction_reference_id);
  if (named !== null) return named === charge?.reference;
  return (
    order?.transactions.length === 1 && order.transactions[0]?.reference_id === charge?.reference
  );
}

/** The feed tells the service of our movements, so one refund can be in both: by its reference, or by its sum. */
function isSameRefund(row: MovementRow, refund: RefundPart): boolean {
  if (row.kind === 'void') return false;
  const references = [row.id, row.processor_reference, row.idempotency_key];
  return (
    references.includes(refund.reference_id) ||
    (row.amount_minor === refund.amount_in_cents && row.currency === refund.currency)
  );
}

export function tellRefund(facts: PackFacts): readonly Sentence[] {
  const { movements, order } = facts;
  const moved = movements.flatMap((row) => tell(REFUND, row, [{ table: 'movement', id: row.id }]));
  if (order === undefined) return moved;
  const cites: Cites = [{ table: 'order_record', id: order.referenceId }];
  const fromOrder = order.refunds.flatMap((refund) => tell(ORDER_REFUND, { refund, facts }, cites));
  return [...moved, ...fromOrder];
}

/** The sum of what {@link tellRefund} tells of, in a currency, in minor units. */
export function toldBackMinor(facts: PackFacts, currency: string): number {
  const moved = facts.movements
    .filter((row) => row.currency === currency && REFUND.some(({ holds }) => holds(row)))
    .map((row) => row.amount_minor);
  const fromOrder = (facts.order?.refunds ?? [])
    .filter((refund) => refund.currency === currency)
    .filter((refund) => ORDER_REFUND.some(({ holds }) => holds({ refund, facts })))
    .map((refund) => refund.amount_in_cents);
  return [...moved, ...fromOrder].reduce((sum, minor) => sum + minor, 0);
}

/** Earlier payments that are listed: more add nothing. */
const EARLIER_MAX = 5;

interface Earlier {
  readonly each: OwnPayment;
  /** When the disputed payment was authorised, ISO 8601. */
  readonly before: string;
}

/** It took money, or at least nothing says that it did not. */
function mayBePaid({
  standing,
  amountMinor,
}: Pick<OwnPayment, 'standing' | 'amountMinor'>): boolean {
  return (standing === 'taken' || standing === 'unknown') && amountMinor > 0;
}

const EARLIER: readonly Claim<Earlier>[] = [
  {
    // Of the same customer, earlier, and never the subject of a complaint, a notice or a refund, finished or not.
    holds: ({ each, before }) =>
      mayBePaid(each) &&
      !each.isDisputed &&
      !each.isRefunded &&
      Date.parse(each.authorisedAt) < Date.parse(before),
    says: ({ each }) => {
      const at = indexedWords(each.authorisedAt);
      return each.standing === 'taken'
        ? `The same customer paid ${formatMoney(each)} on ${at} (payment ${each.reference}), and nothing was disputed or refunded.`
        : `The records hold an earlier payment of the same customer of ${formatMoney(each)} on ${at} (payment ${each.reference}), and nothing was disputed or refunded.`;
    },
  },
];

export function tellEarlier({ payments, charge, order }: PackFacts): readonly Sentence[] {
  const before = charge?.authorisedAt ?? null;
  if (before === null || order === undefined) return [];
  const own: RowRef = { table: 'order_record', id: order.referenceId };
  return payments
    .flatMap((each) => tell(EARLIER, { each, before }, [...rowsOf(each), own]))
    .slice(0, EARLIER_MAX);
}

function rowsOf({ reference, orderReference, isShown }: OwnPayment): [RowRef, ...RowRef[]] {
  return [
    { table: 'charge', id: reference },
    { table: 'order_record', id: orderReference },
    ...(isShown ? [{ table: 'charge_account', id: reference } as const] : []),
  ];
}

/** Another payment of the same sum this close is what the cardholder may mean, in milliseconds. */
const TWICE_MS = 7 * 86_400_000;

interface Pair {
  readonly each: OwnPayment;
  readonly paid: Paid;
  readonly at: string;
  readonly orderReference: string;
}

const OTHER: readonly Claim<Pair>[] = [
  {
    // Both for one sum, near each other, of two orders of one customer; neither declined, released or open.
    holds: ({ each, paid, at, orderReference }) =>
      mayBePaid(each) &&
      mayBePaid({ standing: paid.standing, amountMinor: paid.charge.amountMinor }) &&
      each.orderReference !== orderReference &&
      each.amountMinor === (paid.taken ?? paid.charge).amountMinor &&
      each.currency === paid.charge.currency &&
      Math.abs(Date.parse(each.authorisedAt) - Date.parse(at)) <= TWICE_MS,
    says: ({ each, paid, orderReference }) => {
      const isPaid = each.standing === 'taken' && paid.standing === 'taken';
      const verb = isPaid ? 'paid' : 'is recorded for';
      const at = indexedWords(each.authorisedAt);
      return `Payment ${each.reference} of ${formatMoney(each)} on ${at} ${verb} order ${each.orderReference}, and the disputed payment ${paid.charge.reference} ${verb} order ${orderReference}.`;
    },
  },
];

export function tellOther(facts: PackFacts): readonly Sentence[] {
  const { payments, charge, order } = facts;
  const at = charge?.authorisedAt ?? null;
  if (charge === undefined || at === null || order === undefined) return [];
  const paid = paidOf(facts, charge);
  const orderReference = order.referenceId;
  const own: readonly RowRef[] = [
    { table: 'charge', id: charge.reference },
    { table: 'order_record', id: orderReference },
  ];
  return payments.flatMap((each) =>
    tell(OTHER, { each, paid, at, orderReference }, [...rowsOf(each), ...own]),
  );
}
