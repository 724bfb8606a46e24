/** Reads the charge behind either kind of reference. */
import type { Answer } from 'forestall';
import type { JsonObject } from '../../shared/json.ts';
import { isObject, textAt, valueAt } from '../../shared/json.ts';
import { unavailable } from '../shared/outcome.ts';
import type { StripeApi } from './stripe-api.ts';
import { isMissing, stripeErrorCode } from './stripe-api.ts';

const EXPANDED = [
  ['expand[]', 'invoice'],
  ['expand[]', 'payment_intent'],
] as const;

/** The charge behind either kind of reference, with its invoice and what its intent says. */
export async function findCharge(
  api: StripeApi,
  reference: string,
  signal?: AbortSignal,
): Promise<Answer<JsonObject>> {
  const id = encodeURIComponent(reference);
  const isIntent = reference.startsWith('pi_');
  const reply = isIntent
    ? await api.get(`/v1/payment_intents/${id}`, [['expand[]', 'latest_charge.invoice']], signal)
    : await api.get(`/v1/charges/${id}`, EXPANDED, signal);
  if (isMissing(reply)) return { kind: 'absent' };
  if (reply.kind === 'silence' || reply.status !== 200) {
    return unavailable(reply, stripeErrorCode(reply));
  }
  const charge = isIntent ? valueAt(reply.body, 'latest_charge') : reply.body;
  if (isIntent && charge === null) return { kind: 'absent' };
  const intent = isIntent ? reply.body : valueAt(reply.body, 'payment_intent');
  return isObject(charge) && textAt(charge, 'id') !== null
    ? { kind: 'found', value: { ...charge, payment_intent: intent } }
    : { kind: 'unavailable', reason: 'the answer shows no readable charge' };
}
