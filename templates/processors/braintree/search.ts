/**
 * What Braintree can search transactions by: authorisation code, card digits, amount and time.
 *
 * Not by ARN. https://developer.paypal.com/braintree/graphql/reference/types/transaction-search-input
 */
import type { ChargeQuery } from 'forestall';
import type { JsonObject } from 'forestall/adapter';
import { toDecimal } from 'forestall/adapter';

/** The query as `TransactionSearchInput`; null when it holds nothing that Braintree can search by. */
export function searchInput(query: ChargeQuery): JsonObject | null {
  if (query.acquirerReferenceNumber !== undefined) return null;
  const { authorisationCode, authorisedFrom, authorisedTo } = query;
  const narrow = { ...cardInput(query), ...amountInput(query) };
  const code =
    authorisationCode === undefined ? {} : { processorAuthorizationId: { is: authorisationCode } };
  if (Object.keys({ ...narrow, ...code }).length === 0) return null;
  const from = authorisedFrom === undefined ? {} : { greaterThanOrEqualTo: authorisedFrom };
  const to = authorisedTo === undefined ? {} : { lessThanOrEqualTo: authorisedTo };
  const time = { ...from, ...to };
  return { ...code, ...narrow, ...(Object.keys(time).length === 0 ? {} : { createdAt: time }) };
}

function cardInput({ cardBin, cardLast4 }: ChargeQuery): JsonObject {
  const number = {
    // Braintree keeps six digits of it.
    ...(cardBin === undefined ? {} : { startsWith: cardBin.slice(0, 6) }),
    ...(cardLast4 === undefined ? {} : { endsWith: cardLast4 }),
  };
  if (Object.keys(number).length === 0) return {};
  return { paymentMethod: { paymentMethodSnapshot: { creditCardDetails: { number } } } };
}

function amountInput({ amountMinor, currency }: ChargeQuery): JsonObject {
  if (amountMinor === undefined || currency === undefined) return {};
  const value = toDecimal(amountMinor, currency);
  return value === undefined
    ? {}
    : { amount: { value: { is: value }, currencyCode: { is: currency } } };
}
