/**
 * The module that `FORESTALL_PROCESSOR` names: Braintree with your keys. Rename it and make it yours.
 *
 * @example FORESTALL_PROCESSOR=./processors/braintree/processor.example.ts forestall start
 */
import { setting } from '../../shared/setting.ts';
import { createBraintreeProcessor } from './processor.ts';

export const processor = createBraintreeProcessor({
  publicKey: setting('BRAINTREE_PUBLIC_KEY'),
  privateKey: setting('BRAINTREE_PRIVATE_KEY'),
  baseUrl: setting('BRAINTREE_URL'),
  // The short ids of the SDKs and the control panel.
  references: 'legacy',
  // Refunds settle a day or two later, and an alert has run out by then. With `true` the alert is answered as soon as
  // the refund is accepted, and you are told if it fails afterwards; with `false` each alert is refunded and then missed,
  // unless a person answers it.
  pendingCounts: setting('BRAINTREE_PENDING_COUNTS') === 'true',
});
