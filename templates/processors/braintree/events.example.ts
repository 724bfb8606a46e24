/**
 * The module that `FORESTALL_PROCESSOR_EVENTS` names: Braintree's webhooks, which are signed with the keys of its
 * API. Rename it and make it yours.
 *
 * @example FORESTALL_PROCESSOR_EVENTS=./processors/braintree/events.example.ts forestall serve
 */
import { setting } from '../../shared/setting.ts';
import { createBraintreeEvents } from './events.ts';

export const events = createBraintreeEvents({
  publicKey: setting('BRAINTREE_PUBLIC_KEY'),
  privateKey: setting('BRAINTREE_PRIVATE_KEY'),
});
