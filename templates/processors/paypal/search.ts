/**
 * Finding PayPal captures by card, amount and time, through the transaction report.
 *
 * The report lags by up to three hours, covers 31 days per question and shows no card, so every
 * payment of the amount is read on its own; therefore it is off unless you switch it on.
 * https://developer.paypal.com/docs/api/transaction-search/v1/
 */
import type { Answer, ChargeQuery, ProcessorCharge } from 'forestall';
import { objectsAt, textAt, unavailable } from 'forestall/adapter';
import type { PayPalApi } from './paypal-api.ts';
import { payPalErrorCode } from './paypal-api.ts';

/** Most payments that are read for one question: each costs three calls. */
export const CANDIDATES_MAX = 20;

/** The path of the report; null when the query is too wide to be answered. */
export function reportPath(query: ChargeQuery): string | null {
  const { amountMinor, currency, authorisedFrom, authorisedTo } = query;
  if (query.acquirerReferenceNumber !== undefined || query.authorisationCode !== undefined) {
    return null;
  }
  if (amountMinor === undefined || currency === undefined) return null;
  if (authorisedFrom === undefined || authorisedTo === undefined) return null;
  const parameters = new URLSearchParams({
    start_date: authorisedFrom,
    end_date: authorisedTo,
    // In minor units, unlike every other amount of this API.
    transaction_amount: `${amountMinor} TO ${amountMinor}`,
    transaction_currency: currency,
    fields: 'transaction_info',
    page_size: String(CANDIDATES_MAX + 1),
  });
  return `/v1/reporting/transactions?${parameters.toString()}`;
}

/** Asks the report, then reads each payment it names with `read`. */
export async function searchReport(
  api: PayPalApi,
  ask: {
    readonly query: ChargeQuery;
    readonly read: (reference: string) => Promise<Answer<ProcessorCharge>>;
  },
  signal?: AbortSignal,
): Promise<Answer<ProcessorCharge[]>> {
  const path = reportPath(ask.query);
  if (path === null) return { kind: 'not_offered' };
  const reply = await api.get(path, signal);
  if (reply.kind === 'silence' || reply.status !== 200) {
    return unavailable(reply, payPalErrorCode(reply));
  }
  const rows = objectsAt(reply.body, 'transaction_details');
  if (rows.length > CANDIDATES_MAX) {
    return { kind: 'unavailable', reason: `more than ${CANDIDATES_MAX} payments fit` };
  }
  const charges: ProcessorCharge[] = [];
  for (const row of rows) {
    const reference = textAt(row, 'transaction_info', 'transaction_id');
    const answer = reference === null ? undefined : await ask.read(reference);
    if (answer?.kind === 'unavailable') return answer;
    if (answer?.kind === 'found' && fits(answer.value, ask.query)) charges.push(answer.value);
  }
  return { kind: 'found', value: charges };
}

/** Whether the card contradicts the query. What PayPal does not show fits. */
function fits(charge: ProcessorCharge, { cardBin, cardLast4 }: ChargeQuery): boolean {
  const isOtherCard = cardLast4 !== undefined && (charge.cardLast4 ?? cardLast4) !== cardLast4;
  const bin = cardBin?.slice(0, 6);
  const isOtherBin = bin !== undefined && (charge.cardBin ?? bin).slice(0, 6) !== bin;
  return !isOtherCard && !isOtherBin;
}
