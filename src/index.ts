/**
 * The public API of the package. What is not listed here may change without notice.
 *
 * The client, the sandbox and the signature check have sub-paths of their own: `forestall/client`,
 * `forestall/sandbox`, `forestall/signature`.
 *
 * @module
 */
export { type Clock, createFixedClock, type FixedClock, systemClock } from './kernel/clock.ts';
export { ConfigError, DatabaseError, InvariantError, KitError } from './kernel/errors.ts';
export { formatMoney, type Money, minorUnitDigits } from './kernel/money.ts';
export type {
  Answer,
  ChargeQuery,
  ChargeStatus,
  Processor,
  ProcessorCapabilities,
  ProcessorCharge,
  ProcessorRefund,
  RefundOutcome,
  RefundRequest,
} from './refund/processor.ts';
export { CAUTIOUS_CAPABILITIES } from './refund/processor.ts';
