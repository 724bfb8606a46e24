/**
 * The module that `FORESTALL_PROCESSOR` names: Checkout.com with your key. Rename it and make it yours.
 *
 * @example FORESTALL_PROCESSOR=./processors/checkout/processor.example.ts forestall start
 */
import { setting } from '../../shared/setting.ts';
import { createCheckoutProcessor } from './processor.ts';

export const processor = createCheckoutProcessor({
  secretKey: setting('CHECKOUT_SECRET_KEY'),
  baseUrl: setting('CHECKOUT_URL'),
});
