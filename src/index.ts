/**
 * The public API of the package. What is not listed here may change without notice.
 *
 * The client, the sandbox, the signature check and the means for tests have sub-paths of their own:
 * `forestall/client`, `forestall/sandbox`, `forestall/signature`, `forestall/testing`.
 *
 * @module
 */

export type { CaseState } from './alerts/cases/case-state.ts';
export type { ClaimSource } from './alerts/cases/claim.ts';
export type { DecisionFacts } from './alerts/decide/facts.ts';
export type {
  Policy,
  PolicyFallback,
  PolicyOutcome,
  SideAction,
} from './alerts/decide/policy.ts';
export type { OperatorAction, OperatorRefusal } from './alerts/review/operator-decision.ts';
export { type Clock, createFixedClock, type FixedClock, systemClock } from './base/kernel/clock.ts';
export { ConfigError, DatabaseError, InvariantError, KitError } from './base/kernel/errors.ts';
export { formatMoney, type Money, minorUnitDigits } from './base/kernel/money.ts';
export type { Economics, Figure, Segment } from './books/insights/economics.ts';
export type { EconomicsReport } from './books/insights/read-economics.ts';
export type { Forestall } from './forestall.ts';
export { createForestall } from './forestall.ts';
export type { ChangeResult } from './orders/change-order.ts';
export type { ForeignTransaction, OrdersWithin } from './orders/foreign-transaction.ts';
export type { IntakeResult } from './orders/intake-result.ts';
export type { Programme, ProgrammePolicy } from './orders/programme.ts';
export type { BacktestResult, Changed, Fees, Tally } from './policy/backtest.ts';
export {
  type DefinedAnswer,
  definePolicy,
  type PolicyDefinition,
} from './policy/define.ts';
export { type LoadPolicyOptions, loadPolicy } from './policy/load.ts';
export type { RuleTally, Sums } from './policy/rule-tally.ts';
export { PolicyError } from './policy/source.ts';
export type {
  AlertDecision,
  AlertDecisionResult,
  AlertQuery,
  ForestallAlerts,
} from './running/embed/alerts.ts';
export type { ComparisonState, ForestallBooks } from './running/embed/books.ts';
export type { ForestallGuards } from './running/embed/guards.ts';
export type { ForestallLogger } from './running/embed/logger.ts';
export type { ConsoleOptions, ForestallOptions } from './running/embed/options.ts';
export type { ForestallOrders } from './running/embed/orders.ts';
export type {
  BacktestWishes,
  EconomicsWishes,
  ForestallPolicies,
} from './running/embed/policies.ts';
export type {
  ConformanceFault,
  ConformanceFixture,
  FixtureCharge,
} from './running/verify/conformance-check.ts';
export type {
  ConformanceReport,
  ConformanceResult,
} from './running/verify/processor-conformance.ts';
export { runProcessorConformance } from './running/verify/processor-conformance.ts';
export { createHttpProcessor } from './service/processor/http-processor.ts';
export type { HttpProcessorOptions } from './service/processor/processor-call.ts';
export type { CompleteOrder, OrderInput } from './service/wire/order-request.ts';
export type {
  Answer,
  ChargeQuery,
  ChargeStatus,
  FailureClass,
  Processor,
  ProcessorCapabilities,
  ProcessorCharge,
  ProcessorRefund,
  RefundOutcome,
  RefundRequest,
} from './service/wire/processor.ts';
export { CAUTIOUS_CAPABILITIES } from './service/wire/processor.ts';
export type {
  EventHeaders,
  EventVerdict,
  ProcessorEvent,
  ProcessorEventKind,
  ProcessorEvents,
} from './service/wire/processor-event.ts';
export { PROCESSOR_EVENT_KINDS } from './service/wire/processor-event.ts';
