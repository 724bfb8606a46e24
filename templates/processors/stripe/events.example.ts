/**
 * The module that `FORESTALL_PROCESSOR_EVENTS` names: Stripe's webhooks. It needs the signing secret of the
 * endpoint and no key. Rename it and make it yours.
 *
 * @example FORESTALL_PROCESSOR_EVENTS=./processors/stripe/events.example.ts forestall serve
 */
import { setting } from '../../shared/setting.ts';
import { createStripeEvents } from './events.ts';

export const events = createStripeEvents({
  signingSecrets: setting('STRIPE_SIGNING_SECRETS').split(','),
});
