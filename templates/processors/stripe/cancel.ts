/** Releases authorisations and ends subscriptions: no money moves here. */
import { textAt } from '../../shared/json.ts';
import type { ProviderReply } from '../shared/provider-call.ts';
import { oursOf } from '../shared/words.ts';
import { idAt } from './charge.ts';
import { findCharge } from './find-charge.ts';
import { refusalOf } from './refusals.ts';
import type { StripeApi } from './stripe-api.ts';
import { isMissing } from './stripe-api.ts';
import { STRIPE_WORDS } from './words.ts';

/** Releases an authorisation through its payment intent. */
export async function voidCharge(
  api: StripeApi,
  { reference, key }: { readonly reference: string; readonly key: string },
  signal: AbortSignal,
): Promise<'voided' | 'not_offered' | 'rejected' | 'unknown'> {
  const found = await findCharge(api, reference, signal);
  if (found.kind === 'absent') return 'rejected';
  if (found.kind !== 'found') return 'unknown';
  const intent = idAt(found.value, 'payment_intent');
  // Charges without an intent are released by a refund, which would move money once captured.
  if (intent === null) return 'not_offered';
  const path = `/v1/payment_intents/${encodeURIComponent(intent)}/cancel`;
  // Another key than the refund's: Stripe refuses one key for two kinds of request.
  const reply = await api.post(path, { form: [], idempotencyKey: `${key}_void` }, signal);
  if (reply.kind === 'silence') return 'unknown';
  // An error about an intent shows it as it is now: cancelled before is cancelled.
  const now =
    textAt(reply.body, 'status') ?? textAt(reply.body, 'error', 'payment_intent', 'status');
  if (oursOf(STRIPE_WORDS['payment_intent.status'], now) === 'voided') return 'voided';
  return refusalOf(reply) === null ? 'unknown' : 'rejected';
}

/** Ends a subscription at once. */
export async function cancelSubscription(
  api: StripeApi,
  reference: string,
  signal: AbortSignal,
): Promise<'cancelled' | 'not_offered' | 'rejected' | 'unknown'> {
  const path = `/v1/subscriptions/${encodeURIComponent(reference)}`;
  const reply = await api.delete(path, signal);
  if (isCancelled(reply)) return 'cancelled';
  if (!isMissing(reply)) return refusalOf(reply) === null ? 'unknown' : 'rejected';
  // Stripe answers "missing" for one that was cancelled before; reading it still shows it.
  const read = await api.get(path, [], signal);
  if (isCancelled(read)) return 'cancelled';
  return isMissing(read) ? 'rejected' : 'unknown';
}

function isCancelled(reply: ProviderReply): boolean {
  return (
    reply.kind === 'answer' &&
    reply.status === 200 &&
    oursOf(STRIPE_WORDS['subscription.status'], textAt(reply.body, 'status')) === 'cancelled'
  );
}
