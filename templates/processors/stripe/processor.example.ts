/**
 * The module that `FORESTALL_PROCESSOR` names: Stripe with your key. Rename it and make it yours.
 *
 * @example FORESTALL_PROCESSOR=./processors/stripe/processor.example.ts forestall start
 */
import { setting } from '../../shared/setting.ts';
import { createStripeProcessor } from './processor.ts';

export const processor = createStripeProcessor({
  secretKey: setting('STRIPE_SECRET_KEY'),
  // `ch_…` or `pi_…`: whichever your orders carry as the transaction's reference.
  references: 'charge',
  orderMetadataKey: 'order_id',
  // Of a Connect platform: connect: { reverseTransfer: true, refundApplicationFee: true },
});
