/** Everything the sandbox knows, in memory. One map per concept, by id, in order of creation. */
import type {
  ApiKey,
  Organisation,
  OwnerNotice,
  Partner,
  PartnerGroup,
  SeededAccounts,
  Subscription,
} from './accounts.ts';
import type { ChargeRecord, KeyUse, ToldEvent } from './charges.ts';
import type { DeliveryRecord, EventRecord } from './deliveries.ts';
import type { IngestedTransaction, OrderRecord } from './orders.ts';
import type {
  AlertRecord,
  EnrolmentRecord,
  IntegrationRecord,
  LookupRecord,
  MerchantRecord,
  RepresentmentRecord,
  RulesetRecord,
  SchemeNoticeRecord,
} from './resources.ts';

/** One `PATCH /v1/alerts/{alert_id}` that reached the rules: the oracle for "declared how often". */
export interface PatchEntry {
  readonly at: string;
  readonly alert_id: string;
  readonly action: string;
  readonly note: string | null;
  /** The answer's status. Only 200 changed the alert. */
  readonly http_status: number;
}

export interface State {
  /** What the default seed made; null when it was not asked for. */
  accounts: SeededAccounts | null;
  readonly partners: Map<string, Partner>;
  readonly groups: Map<string, PartnerGroup>;
  readonly organisations: Map<string, Organisation>;
  readonly keys: Map<string, ApiKey>;
  readonly subscriptions: Map<string, Subscription>;
  readonly notices: OwnerNotice[];
  readonly merchants: Map<string, MerchantRecord>;
  /** Merchant id → data providers, which block a change of its type. */
  readonly dataProviders: Map<string, string[]>;
  readonly integrations: Map<string, IntegrationRecord>;
  readonly enrolments: Map<string, EnrolmentRecord>;
  readonly rulesets: Map<string, RulesetRecord>;
  readonly orders: Map<string, OrderRecord>;
  /** `<integration> <reference_id>` → order id. */
  readonly orderByReference: Map<string, string>;
  /** `<part> <integration> <reference_id>` → order id: nested references are unique as well. */
  readonly nestedReferences: Map<string, string>;
  readonly ingested: IngestedTransaction[];
  readonly alerts: Map<string, AlertRecord>;
  readonly patchLog: PatchEntry[];
  readonly lookups: Map<string, LookupRecord>;
  readonly representments: Map<string, RepresentmentRecord>;
  readonly schemeNotices: Map<string, SchemeNoticeRecord>;
  /** Ids of resources whose `created` event was emitted. */
  readonly announced: Set<string>;
  readonly events: Map<string, EventRecord>;
  readonly deliveries: Map<string, DeliveryRecord>;
  readonly charges: Map<string, ChargeRecord>;
  readonly keyUses: Map<string, KeyUse>;
  /** The processor's own webhooks. */
  readonly toldEvents: Map<string, ToldEvent>;
  readonly cancelledSubscriptions: Set<string>;
}

export function createState(): State {
  return {
    accounts: null,
    partners: new Map(),
    groups: new Map(),
    organisations: new Map(),
    keys: new Map(),
    subscriptions: new Map(),
    notices: [],
    merchants: new Map(),
    dataProviders: new Map(),
    integrations: new Map(),
    enrolments: new Map(),
    rulesets: new Map(),
    orders: new Map(),
    orderByReference: new Map(),
    nestedReferences: new Map(),
    ingested: [],
    alerts: new Map(),
    patchLog: [],
    lookups: new Map(),
    representments: new Map(),
    schemeNotices: new Map(),
    announced: new Set(),
    events: new Map(),
    deliveries: new Map(),
    charges: new Map(),
    keyUses: new Map(),
    toldEvents: new Map(),
    cancelledSubscriptions: new Set(),
  };
}
