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
export type { Alert, AlertAction, AlertActionBody } from '../wire/alert.ts';
export type { BrandTokenMap, BrandTokens } from '../wire/brand-tokens.ts';
export { createBrandTokens, parseBrandTokens } from '../wire/brand-tokens.ts';
export type { Enrolment, EnrolmentCreate, EnrolmentUpdate } from '../wire/enrolment.ts';
export type { EnrolmentV1, EnrolmentV1Create } from '../wire/enrolment-v1.ts';
export type { Integration } from '../wire/integration.ts';
export type { ReadList } from '../wire/list.ts';
export type { Lookup } from '../wire/lookup.ts';
export type { Merchant, MerchantCreate, MerchantUpdate } from '../wire/merchant.ts';
export type { Order, OrderCreateResult, OrderError } from '../wire/order.ts';
export type {
  CompleteOrder,
  OrderInput,
  OrderUpdate,
  PartialOrder,
} from '../wire/order-request.ts';
export type {
  Rule,
  RuleInput,
  Ruleset,
  RulesetCreate,
  RulesetUpdate,
} from '../wire/ruleset.ts';
export type { MemoryBudgetOptions } from './budget.ts';
export { createMemoryBudget, unlimitedBudget } from './budget.ts';
export type { RequestBudget, TakeOptions } from './budget-queue.ts';
export type { PageQuery } from './list.ts';
export type {
  CallOptions,
  ClientHooks,
  RequestInfo,
  ResponseInfo,
  ServiceClientOptions,
} from './options.ts';
export type {
  CallOutcome,
  RequestKind,
  ServiceErrorCode,
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
 * Makes a client. Nothing is sent before the first call.
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
