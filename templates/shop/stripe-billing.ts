/**
 * Marks the payment of a Stripe subscription, and its invoice: metadata for each refund and dispute, with the words for the whole
 * payment in `forestall` and the last sentence in `forestall_note`.
 *
 * Stripe shows a refund by the network (RDR) as a dispute that was lost; the mark says who refunded. No money moves, and no
 * subscription is cancelled: that is a policy's `cancel_subscription`.
 * https://docs.stripe.com/api/metadata
 */
import Stripe from 'stripe';
import type { OrderMark } from './order-mark.ts';
import { createTurns, isNews, markText, noteWith, readMarks, wordsWith } from './order-mark.ts';

const PREFIX = 'forestall_';

/** A key of metadata has 40 characters at most. */
const SUBJECT_LENGTH_MAX = 40 - PREFIX.length;

/** Longest value of a metadata field at Stripe, in characters. */
const VALUE_LENGTH_MAX = 500;

export interface StripeBillingAccess {
  /** Of a restricted key: charges, invoices (write), payment intents (read). */
  readonly apiKey: string;
}

/** Makes the function that marks payments. It throws where Stripe did not take the mark. */
export function createStripeBillingMarker({
  apiKey,
}: StripeBillingAccess): (mark: OrderMark) => Promise<void> {
  // Forestall sends the event again.
  const stripe = new Stripe(apiKey, { maxNetworkRetries: 0, timeout: 8_000 });
  const inTurn = createTurns();
  return async (mark) => {
    const id = mark.chargeReference;
    // Of another provider, or no payment is known.
    if (id === null || !/^(?:ch|py|pi)_\w+$/.test(id)) return;
    await inTurn(id, async () => await markPayment(stripe, id, mark));
  };
}

async function markPayment(stripe: Stripe, id: string, whole: OrderMark): Promise<void> {
  const mark = { ...whole, subject: whole.subject.slice(-SUBJECT_LENGTH_MAX) };
  const charge = await findCharge(stripe, id);
  if (charge === undefined) return;
  const kept = readMarks(
    Object.entries(charge.metadata)
      .filter(([key]) => key.startsWith(PREFIX))
      .map(([key, value]) => [key.slice(PREFIX.length), value] as const),
  );
  if (!isNews(kept, mark)) return;
  // Fields that are not named stay as they are.
  const metadata = {
    forestall: wordsWith(kept, mark).join(','),
    [`${PREFIX}note`]: noteWith(kept, mark).slice(0, VALUE_LENGTH_MAX),
    [PREFIX + mark.subject]: markText(mark),
  };
  // The charge last: while it has no mark, all of this is done again.
  const invoice = await invoiceOf(stripe, charge);
  if (invoice !== undefined) await stripe.invoices.update(invoice, { metadata });
  await stripe.charges.update(charge.id, { metadata });
}

/** The charge by its own id, or the one with which its payment intent was paid: your orders may carry either. */
async function findCharge(stripe: Stripe, id: string): Promise<Stripe.Charge | undefined> {
  if (!id.startsWith('pi_')) return await stripe.charges.retrieve(id).catch(unlessGone);
  const expand = ['latest_charge'];
  const intent = await stripe.paymentIntents.retrieve(id, { expand }).catch(unlessGone);
  const charge = intent?.latest_charge;
  return typeof charge === 'object' && charge !== null ? charge : undefined;
}

async function invoiceOf(stripe: Stripe, charge: Stripe.Charge): Promise<string | undefined> {
  const { payment_intent: intent } = charge;
  const id = typeof intent === 'string' ? intent : intent?.id;
  if (id === undefined) return undefined;
  const payment = { type: 'payment_intent', payment_intent: id } as const;
  const [found] = (await stripe.invoicePayments.list({ payment, limit: 1 })).data;
  return typeof found?.invoice === 'string' ? found.invoice : found?.invoice.id;
}

function unlessGone(error: unknown): undefined {
  if (error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing')
    return undefined;
  throw error;
}
