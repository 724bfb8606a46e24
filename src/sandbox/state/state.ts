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
import type { DisputeRecord } from './disputes.ts';
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

export class State {
  /** What the default seed made; null when it was not asked for. */
  accounts: SeededAccounts | null = null;
  readonly partners = new Map<string, Partner>();
  readonly groups = new Map<string, PartnerGroup>();
  readonly organisations = new Map<string, Organisation>();
  readonly keys = new Map<string, ApiKey>();
  readonly subscriptions = new Map<string, Subscription>();
  readonly notices: OwnerNotice[] = [];
  readonly merchants = new Map<string, MerchantRecord>();
  /** Merchant id → data providers, which block a change of its type. */
  readonly dataProviders = new Map<string, string[]>();
  readonly integrations = new Map<string, IntegrationRecord>();
  readonly enrolments = new Map<string, EnrolmentRecord>();
  readonly rulesets = new Map<string, RulesetRecord>();
  readonly orders = new Map<string, OrderRecord>();
  /** `<integration> <reference_id>` → order id. */
  readonly orderByReference = new Map<string, string>();
  /** `<part> <integration> <reference_id>` → order id: nested references are unique as well. */
  readonly nestedReferences = new Map<string, string>();
  readonly ingested: IngestedTransaction[] = [];
  readonly alerts = new Map<string, AlertRecord>();
  readonly patchLog: PatchEntry[] = [];
  readonly lookups = new Map<string, LookupRecord>();
  readonly representments = new Map<string, RepresentmentRecord>();
  readonly schemeNotices = new Map<string, SchemeNoticeRecord>();
  /** Ids of resources whose `created` event was emitted. */
  readonly announced = new Set<string>();
  readonly events = new Map<string, EventRecord>();
  readonly deliveries = new Map<string, DeliveryRecord>();
  readonly charges = new Map<string, ChargeRecord>();
  readonly keyUses = new Map<string, KeyUse>();
  /** The processor's own webhooks. */
  readonly toldEvents = new Map<string, ToldEvent>();
  readonly disputes = new Map<string, DisputeRecord>();
  readonly cancelledSubscriptions = new Set<string>();
}
