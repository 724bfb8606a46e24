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
  // Refunds take a day or two to settle, alerts do not wait: decide whether accepted is enough.
  pendingCounts: false,
});
