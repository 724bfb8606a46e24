/**
 * The typed client of the service: every operation of the interface, usable on its own.
 *
 * @module
 * @example
 * const client = createServiceClient({ baseUrl: 'https://api.example.com', apiKey });
 * for await (const alert of client.alerts.list({ status: 'ACTION_REQUIRED' })) {
 *   await client.alerts.act(alert.id, { action: 'ACCEPT_DISPUTE', note: 'Shipped and signed for' });
 * }
 */
import type { ServiceClientOptions } from './options.ts';
import { readOptions } from './options.ts';
import type { AlertsResource } from './resources/alerts.ts';
import { createAlerts } from './resources/alerts.ts';
import type { EnrolmentsResource } from './resources/enrolments.ts';
import { createEnrolments } from './resources/enrolments.ts';
import type { EnrolmentsV1Resource } from './resources/enrolments-v1.ts';
import { createEnrolmentsV1 } from './resources/enrolments-v1.ts';
import type { IntegrationsResource } from './resources/integrations.ts';
import { createIntegrations } from './resources/integrations.ts';
import type { LookupsResource } from './resources/lookups.ts';
import { createLookups } from './resources/lookups.ts';
import type { MerchantsResource } from './resources/merchants.ts';
import { createMerchants } from './resources/merchants.ts';
import type { OrdersResource } from './resources/orders.ts';
import { createOrders } from './resources/orders.ts';
import type { RulesetsResource } from './resources/rulesets.ts';
import { createRulesets } from './resources/rulesets.ts';
import type { SimulateResource } from './resources/simulate.ts';
import { createSimulate } from './resources/simulate.ts';
import { createSender } from './sender.ts';

export { ConfigError, KitError } from '../../base/kernel/errors.ts';
export type {
  Alert,
  AlertAction,
  AlertActionBody,
  AlertEnrolmentType,
  AlertStatus,
  CardScheme,
  RefundOutcome,
} from '../wire/alert.ts';
export type { BrandToken, BrandTokenMap, BrandTokens } from '../wire/brand-tokens.ts';
export { createBrandTokens, parseBrandTokens } from '../wire/brand-tokens.ts';
export type {
  CreatableEnrolmentType,
  DescriptorStatus,
  Enrolment,
  EnrolmentCreate,
  EnrolmentStatus,
  EnrolmentType,
  EnrolmentUpdate,
  EnrolmentV1,
  EnrolmentV1Create,
  MatchType,
} from '../wire/enrolment.ts';
export type { ErrorCode, ErrorEntry } from '../wire/error-codes.ts';
export type { EventEntity, EventType, ServiceEvent } from '../wire/event.ts';
export type { Open } from '../wire/fields.ts';
export type { Integration } from '../wire/integration.ts';
export type {
  AlertFilter,
  EnrolmentFilter,
  Filter,
  IntegrationFilter,
  InvalidItem,
  LookupFilter,
  MerchantFilter,
  OpenValue,
  OrderFilter,
  ReadList,
  RulesetFilter,
} from '../wire/list.ts';
export type { DeflectionStatus, Lookup, LookupStatus, LookupType } from '../wire/lookup.ts';
export type {
  Merchant,
  MerchantCreate,
  MerchantUpdate,
  RepresentmentServiceType,
} from '../wire/merchant.ts';
export type {
  Order,
  OrderCreateResult,
  OrderError,
  OrderStatus,
  OrderType,
} from '../wire/order.ts';
export type {
  DeliveryType,
  OrderAddress,
  OrderDelivery,
  OrderDispute,
  OrderItem,
  OrderRefund,
  OrderSubscription,
  OrderTransaction,
} from '../wire/order-parts.ts';
export type { CompleteOrder, OrderInput, PartialOrder } from '../wire/order-request.ts';
export type {
  OrderDeliveryUpdate,
  OrderDisputeUpdate,
  OrderRefundUpdate,
  OrderSubscriptionUpdate,
  OrderUpdate,
} from '../wire/order-update.ts';
export type { Representment } from '../wire/representment.ts';
export type {
  AmountOperator,
  AmountRuleParameters,
  DescriptorRuleParameters,
  JoinOperator,
  Rule,
  RuleInput,
  Ruleset,
  RulesetCreate,
  RulesetOutcome,
  RulesetSort,
  RulesetUpdate,
  RuleType,
} from '../wire/ruleset.ts';
export type {
  NoticeScheme,
  NoticeType,
  SchemeNotice,
  SchemeNoticeType,
} from '../wire/scheme-notice.ts';
export type {
  SimulateAlert,
  SimulateEnrolment,
  SimulateLookup,
  SimulateSchemeNotice,
} from '../wire/simulation.ts';
export type { MemoryBudgetOptions } from './budget.ts';
export { createMemoryBudget, unlimitedBudget } from './budget.ts';
export type { RequestBudget, TakeOptions, Wait } from './budget-queue.ts';
export type { PageQuery } from './list.ts';
export type {
  CallOptions,
  ClientHooks,
  RequestInfo,
  RequestWarning,
  ResponseInfo,
  ServiceClientOptions,
} from './options.ts';
export type { AlertsResource } from './resources/alerts.ts';
export type { EnrolmentsResource } from './resources/enrolments.ts';
export type { EnrolmentsV1Resource } from './resources/enrolments-v1.ts';
export type { IntegrationsResource } from './resources/integrations.ts';
export type { LookupsResource } from './resources/lookups.ts';
export type { MerchantsResource } from './resources/merchants.ts';
export type { FindOrderOptions, OrdersResource } from './resources/orders.ts';
export type { RuleAddress, RulesetsResource, RulesResource } from './resources/rulesets.ts';
export type { SimulateResource } from './resources/simulate.ts';
export type {
  CallOutcome,
  ClientErrorCode,
  RequestKind,
  ServiceErrorCode,
  ServiceErrorFacts,
  ServiceErrorKind,
} from './service-error.ts';
export { isServiceError, ServiceError } from './service-error.ts';

/** Every operation of the interface, by resource. */
export interface ServiceClient {
  readonly alerts: AlertsResource;
  readonly orders: OrdersResource;
  readonly integrations: IntegrationsResource;
  readonly lookups: LookupsResource;
  /** Partner key. */
  readonly merchants: MerchantsResource;
  /** Partner key. */
  readonly enrolments: EnrolmentsResource;
  /** Partner key. Deprecated by the service; for older keys. */
  readonly enrolmentsV1: EnrolmentsV1Resource;
  readonly rulesets: RulesetsResource;
  /** Test organisations only. */
  readonly simulate: SimulateResource;
}

/**
 * Creates a client. Nothing is sent before the first call.
 *
 * @throws {ConfigError} when an option is missing or unusable
 */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const sender = createSender(readOptions(options));
  return {
    alerts: createAlerts(sender),
    orders: createOrders(sender),
    integrations: createIntegrations(sender),
    lookups: createLookups(sender),
    merchants: createMerchants(sender),
    enrolments: createEnrolments(sender),
    enrolmentsV1: createEnrolmentsV1(sender),
    rulesets: createRulesets(sender),
    simulate: createSimulate(sender),
  };
}
