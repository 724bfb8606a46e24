/**
 * The public API of the package. What is not listed here may change without notice.
 *
 * The client, the sandbox, the signature check and the means for tests have sub-paths of their own:
 * `forestall/client`, `forestall/sandbox`, `forestall/signature`, `forestall/testing`.
 *
 * @module
 */

export type { CaseState } from './cases/case-state.ts';
export type { OperatorAction, OperatorRefusal } from './cases/operator-decision.ts';
export type { DecisionFacts } from './decide/facts.ts';
export type {
  Policy,
  PolicyFallback,
  PolicyOutcome,
  SideAction,
} from './decide/policy.ts';
export type {
  AlertDecision,
  AlertDecisionResult,
  AlertQuery,
  ForestallAlerts,
} from './embed/alerts.ts';
export type { ComparisonState, ForestallBooks } from './embed/books.ts';
export type { Forestall } from './embed/forestall.ts';
export { createForestall } from './embed/forestall.ts';
export type { ForestallGuards } from './embed/guards.ts';
export type { ForestallLogger } from './embed/logger.ts';
export type { ConsoleOptions, ForestallOptions } from './embed/options.ts';
export type { ForestallOrders } from './embed/orders.ts';
export type { BacktestWishes, EconomicsWishes, ForestallPolicies } from './embed/policies.ts';
export type { ChangeResult } from './feed/change-order.ts';
export type { IntakeResult } from './feed/intake-result.ts';
export type { Programme, ProgrammePolicy } from './feed/programme.ts';
export type { Economics, Figure, Segment } from './insights/economics.ts';
export type { EconomicsReport } from './insights/read-economics.ts';
export { type Clock, createFixedClock, type FixedClock, systemClock } from './kernel/clock.ts';
export { ConfigError, DatabaseError, InvariantError, KitError } from './kernel/errors.ts';
export { formatMoney, type Money, minorUnitDigits } from './kernel/money.ts';
export type { BacktestResult, Changed, Fees, Sums, Tally } from './policy/backtest.ts';
export {
  type DefinedAnswer,
  definePolicy,
  type PolicyDefinition,
} from './policy/define.ts';
export { type LoadPolicyOptions, loadPolicy } from './policy/load.ts';
export type { RuleTally } from './policy/rule-tally.ts';
export { PolicyError } from './policy/source.ts';
export { createHttpProcessor } from './refund/http-processor.ts';
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
} from './refund/processor.ts';
export { CAUTIOUS_CAPABILITIES } from './refund/processor.ts';
export type { HttpProcessorOptions } from './refund/processor-call.ts';
export type {
  ConformanceFault,
  ConformanceFixture,
  FixtureCharge,
} from './verify/conformance-check.ts';
export type {
  ConformanceReport,
  ConformanceResult,
} from './verify/processor-conformance.ts';
export { runProcessorConformance } from './verify/processor-conformance.ts';
export type { CompleteOrder, OrderInput } from './wire/order-request.ts';
