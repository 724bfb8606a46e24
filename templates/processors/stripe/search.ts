/**
 * What Stripe can search charges by: the card's last digits, the amount, the currency and the time.
 *
 * Not by ARN (Stripe keeps it for refunds only), and not by authorisation code: that one is compared
 * here, in what the other facts have found. New charges take a minute to become searchable, and
 * accounts in India cannot search at all. https://docs.stripe.com/search
 */
import type { ChargeQuery, ProcessorCharge } from 'forestall';
import { stripeAmountOf } from '../../shared/stripe-amounts.ts';

/** The query in Stripe's search language; null when it holds nothing that Stripe can search by. */
export function searchText(query: ChargeQuery): string | null {
  if (query.acquirerReferenceNumber !== undefined) return null;
  const { cardLast4, amountMinor, currency } = query;
  const clauses: string[] = [];
  // Only digits and letters reach the query text: it has no parameters to bind.
  if (/^\d{4}$/.test(cardLast4 ?? '')) {
    clauses.push(`payment_method_details.card.last4:'${cardLast4}'`);
  }
  if (currency !== undefined && /^[A-Z]{3}$/.test(currency)) {
    const amount = stripeAmountOf(amountMinor ?? Number.NaN, currency);
    if (amount !== undefined) clauses.push(`amount:${amount}`);
    if (clauses.length > 0) clauses.push(`currency:'${currency.toLowerCase()}'`);
  }
  if (clauses.length === 0) return null;
  return [...clauses, ...timeClauses(query)].join(' AND ');
}

function timeClauses({ authorisedFrom, authorisedTo }: ChargeQuery): string[] {
  const from = Math.floor(Date.parse(authorisedFrom ?? '') / 1000);
  const to = Math.ceil(Date.parse(authorisedTo ?? '') / 1000);
  const clauses: string[] = [];
  if (Number.isFinite(from)) clauses.push(`created>=${from}`);
  if (Number.isFinite(to)) clauses.push(`created<=${to}`);
  return clauses;
}

/** Whether the charge contradicts what Stripe could not be asked. What it does not show fits. */
export function fitsUnasked(charge: ProcessorCharge, query: ChargeQuery): boolean {
  const { authorisationCode, cardBin } = query;
  const isOtherCode = differs(charge.authorisationCode, authorisationCode);
  const shown = charge.cardBin?.slice(0, cardBin?.length);
  return !isOtherCode && !differs(shown ?? null, cardBin?.slice(0, charge.cardBin?.length));
}

function differs(shown: string | null, wanted: string | undefined): boolean {
  return shown !== null && wanted !== undefined && shown.toUpperCase() !== wanted.toUpperCase();
}
