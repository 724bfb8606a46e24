/**
 * The public API of the package. What is not listed here may change without notice.
 *
 * The client, the sandbox, the signature check and the means for tests have sub-paths of their own:
 * `forestall/client`, `forestall/sandbox`, `forestall/signature`, `forestall/testing`, and what adapters of processors
 * share, `forestall/adapter`, and what receivers of events need, `forestall/events`.
 *
 * @module
 */

export type { CaseState } from './alerts/cases/case-state.ts';
export type { ClaimSource } from './alerts/cases/claim.ts';
export type { CostOptions } from './alerts/costs/setting.ts';
export type { DecisionAction, FallbackAction } from './alerts/decide/decision.table.ts';
export type { DecidedFallback, Decision } from './alerts/decide/decision.ts';
export type { EvidenceWords } from './alerts/decide/evidence-words.ts';
export type { Arm, Explore, Trial } from './alerts/decide/explore.ts';
export type {
  AccountInputs,
  AlertInputs,
  ChargeInputs,
  DecisionFacts,
  EvidenceFacts,
  FoundChargeInputs,
  MatchInputs,
  OwnRefundInputs,
} from './alerts/decide/facts.ts';
export type { ChargeHistory, CustomerFacts } from './alerts/decide/history-facts.ts';
export type { DeliveryKind, ItemFacts, OrderFacts } from './alerts/decide/order-facts.ts';
export type {
  Policy,
  PolicyAnswer,
  PolicyFallback,
  PolicyOutcome,
  PolicyProposal,
  RefundAmount,
  RuleTrace,
  SideAction,
  SideActionKind,
  Truth,
} from './alerts/decide/policy.ts';
export type { RatioInputs } from './alerts/decide/ratio-standing.store.ts';
export type { ReplayPart } from './alerts/decide/replay-reader.ts';
export type { DeclarationState } from './alerts/declare/declaration.table.ts';
export type { EvidenceOptions } from './alerts/evidence/setting.ts';
export type { ApprovalStanding } from './alerts/guard/approval.store.ts';
export type { ApprovalRefusal, ApprovalResult } from './alerts/guard/approve.ts';
export type { Sent as SentUnderCaps } from './alerts/guard/caps.ts';
export type { ApprovalKind, ApprovalState } from './alerts/guard/guard.table.ts';
export type { ActionsEndpoint } from './alerts/guard/guard-env.ts';
export type { Approval, GuardStatus } from './alerts/guard/guard-status.store.ts';
export type { AcceptObjection } from './alerts/ledger/accept-objection.ts';
export type { MovementKind, MovementState } from './alerts/ledger/movement-state.ts';
export type { SamePartRule } from './alerts/ledger/same-dispute.ts';
export type { Standing } from './alerts/ledger/verdict.ts';
export type { AlertListItem, AlertPlace } from './alerts/list/alert-list.store.ts';
export type { MatchTier } from './alerts/match/match-settings.ts';
export type { MatchOutcome } from './alerts/match/matcher.ts';
export type { FetchReceiver } from './alerts/receive/fetch-receiver.ts';
export type { Health } from './alerts/receive/receiver.ts';
export type {
  AlertTotals,
  EventTotals,
  Mismatch as ReportMismatch,
  MoneyTotals,
  ReconcileReport,
  ReportedFinding,
  ReportFigures,
  ReportPeriod,
} from './alerts/reconcile/report.ts';
export type { OperatorAction, OperatorRefusal } from './alerts/review/operator-decision.ts';
export type { TrustedProxies } from './base/http/caller-address.ts';
export type { Middleware } from './base/http/middleware.ts';
export type { OrganisationName } from './base/http/organisation-path.ts';
export { type Clock, createFixedClock, type FixedClock, systemClock } from './base/kernel/clock.ts';
export type { BetaPrior, Interval } from './base/kernel/confidence-sequence.ts';
export { ConfigError, DatabaseError, InvariantError, KitError } from './base/kernel/errors.ts';
export { formatMoney, type Money, minorUnitDigits } from './base/kernel/money.ts';
export type { TextPosition as PolicyPlace } from './base/kernel/yaml-positions.ts';
export type { Severity } from './base/notify/notification.table.ts';
export type { DigestTime, NotifySettings } from './base/notify/notify-settings.ts';
export type { BacktestResult, Changed, Fees, Tally } from './capabilities/backtests/backtest.ts';
export type { BacktestQuestions, BacktestWishes } from './capabilities/backtests/questions.ts';
export type { RuleSide, RuleTally, Sums } from './capabilities/backtests/rule-tally.ts';
export type { CapabilityBooks } from './capabilities/books.ts';
export type {
  ClaimState,
  CreditClass,
  EvidenceRow as CreditEvidence,
} from './capabilities/credits/credit-claim.table.ts';
export type { CreditEvents } from './capabilities/credits/event-kinds.ts';
export type { AlertCreditClaim, CreditsOfAlert } from './capabilities/credits/of-alert.ts';
export type { CreditOptions } from './capabilities/credits/settings.ts';
export type { DailyReportQuestions } from './capabilities/daily-reports/questions.ts';
export type { DoorFunctions } from './capabilities/doors.ts';
export type { EstateOptions } from './capabilities/estate/settings.ts';
export type {
  DataOfTypes,
  EventData,
  EventOfType,
  EventType,
  ForestallEvent,
  OnEvent,
} from './capabilities/event-types.ts';
export type { CommonEvents } from './capabilities/events/kinds.ts';
export type { EventOptions } from './capabilities/events/settings.ts';
export type {
  Dimension,
  Economics,
  PackVersion,
  Segment,
} from './capabilities/measured-cost/economics.ts';
export type { CostQuestions, EconomicsWishes } from './capabilities/measured-cost/questions.ts';
export type { EconomicsReport } from './capabilities/measured-cost/read-economics.ts';
export type { FallbackShare as StandIn, Share } from './capabilities/measured-cost/share.ts';
export type { Judged, Shares, Verdict } from './capabilities/measured-cost/verdict.ts';
export type { CapabilitiesOfAlert } from './capabilities/of-alert.ts';
export type { CapabilityPolicies } from './capabilities/policies.ts';
export type { RatioEvents } from './capabilities/ratios/event-kinds.ts';
export type { MonitoringSettings, RatioOptions } from './capabilities/ratios/settings.ts';
export type { RepresentmentOptions } from './capabilities/representments/settings.ts';
export type { CapabilityOptions } from './capabilities/settings.ts';
export type { EventDoor, FetchEventReceiver } from './capabilities/signals/door.ts';
export type { EmbeddedOrganisation } from './embedded-organisation.ts';
export type { Forestall } from './forestall.ts';
export type { ForestallInstallation } from './forestall-installation.ts';
export { createForestall, createInstallation } from './open-forestall.ts';
export type { ChangeResult } from './orders/change-order.ts';
export type {
  FeedStatus,
  FeedTrouble,
  ProgrammeReadiness,
  StoppedFeed,
} from './orders/feed-status.store.ts';
export type {
  ForeignTransaction,
  KyselyResultLike,
  KyselyTransactionLike,
  PgClientLike,
  PgResultLike,
  QueryFunction,
} from './orders/foreign-query.ts';
export type { OrdersWithin } from './orders/foreign-transaction.ts';
export type { IntakeResult, Known as KnownOrder } from './orders/intake-result.ts';
export type { OrderBody as Order } from './orders/order-body.ts';
export type { OrderState } from './orders/order-state.ts';
export type { Programme, ProgrammePolicy } from './orders/programme.ts';
export type { Problem as OrderProblem } from './orders/submission.ts';
export {
  type DefinedAnswer,
  definePolicy,
  type PolicyDefinition,
} from './policy/define.ts';
export type { LoadPolicyOptions } from './policy/load.ts';
export type { PastAnswer } from './policy/past-decision.ts';
export { loadPolicy } from './policy/read-policy.ts';
export type { PolicyProblem } from './policy/source.ts';
export { PolicyError } from './policy/source.ts';
export type {
  Alert,
  AlertCase,
  AlertChange,
  AlertDecided,
  AlertDeclaration,
  AlertFacts,
  AlertMatch,
  AlertMovement,
  AlertStep,
} from './running/embed/alert.ts';
export type {
  AlertDecision,
  AlertDecisionResult,
  AlertQuery,
  ForestallAlerts,
} from './running/embed/alerts.ts';
export type { ComparisonState, ForestallBooks } from './running/embed/books.ts';
export type { ForestallGuards } from './running/embed/guards.ts';
export type { ForestallLogger } from './running/embed/logger.ts';
export type {
  ConsoleOptions,
  ForestallOptions,
  InstallationOptions,
  OrganisationOptions,
  OwnOptions,
} from './running/embed/options.ts';
export type { ForestallOrders } from './running/embed/orders.ts';
export type { ForestallPolicies } from './running/embed/policies.ts';
export type { EraseReport } from './running/privacy/erase.ts';
export type { ReferenceNeed } from './running/privacy/erase-references.store.ts';
export type { ErasedReferences, KeptReferences } from './running/privacy/erase-references.ts';
export type { Left } from './running/privacy/look-everywhere.ts';
export type { NamedLine } from './running/privacy/look-settings.ts';
export type { ConformanceFault, FaultKind } from './running/testing/conformance-fault.ts';
export type {
  CheckOutcome,
  ConformanceCheck,
  ConformanceFixture,
  ConformanceSubject,
  FixtureCharge,
} from './running/verify/conformance-check.ts';
export type {
  ConformanceOptions,
  ConformanceReport,
  ConformanceResult,
} from './running/verify/processor-conformance.ts';
export { runProcessorConformance } from './running/verify/processor-conformance.ts';
export { createHttpProcessor } from './service/processor/http-processor.ts';
export type { HttpProcessorOptions } from './service/processor/processor-call.ts';
export type {
  Absent as AbsentField,
  DigitalFields as OrderDigitalFields,
  Given as GivenValue,
  GivenPart as GivenFields,
  Handed as HandedOrder,
  Named as NamedFields,
  Numbered as NumberedEntry,
  OrderChangeInput,
  OrderDeliveryInput,
  OrderInput,
  OrderItemInput,
  OrderSubscriptionInput,
  TrialFields as OrderTrialFields,
} from './service/wire/order-input.ts';
export { uncheckedOrder } from './service/wire/order-input.ts';
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
  DisputeAbilities,
  DisputePage,
  DisputeQuery,
  EvidenceElement,
  EvidenceField,
  EvidenceFileType,
  EvidenceOutcome,
  EvidenceSlot,
  EvidenceWanted,
  FileRequest,
  ProcessorDispute,
  ProcessorDisputeStatus,
  ProcessorDisputes,
  ShownSubmission,
  StagedFile,
  SubmissionRequest,
  SubmittedFile,
} from './service/wire/processor-dispute.ts';
export type {
  EventHeaders,
  EventVerdict,
  ProcessorEvent,
  ProcessorEventKind,
  ProcessorEvents,
} from './service/wire/processor-event.ts';
export { PROCESSOR_EVENT_KINDS } from './service/wire/processor-event.ts';
export type { OidcSettings } from './surface/access/oidc.ts';
export type { HandlerOptions } from './surface/event-handlers.ts';
export type { DataByType, DescribedKind, EventBody, EventKind } from './surface/event-kind.ts';
